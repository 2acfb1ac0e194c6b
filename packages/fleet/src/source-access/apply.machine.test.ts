import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { describe, test } from 'node:test'
import type { CodedError } from '@fleet/kernel'
import { ACCOUNT, IS_ROOT, MISSING, refusal, startWorld, type World } from '#/source-access/world.test.ts'

const refused = async (world: World): Promise<string> => {
  try {
    await world.apply()
    return 'applied'
  } catch (error) {
    return refusal(error)
  }
}
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

describe('access of the web server to a checkout', { skip: MISSING }, () => {
  test('the web root and the public storage are readable, the folders above them passable, everything else denied, also what comes later [SRC-001, SRC-002, SRC-003, SRC-004, SRC-010]', async () => {
    using world = startWorld()
    assert.deepEqual(await world.apply(), { warnings: [] })
    for (const path of ['public', 'public/css', 'storage/app/public'])
      assert.equal(world.entryOf(path), 'r-x r-x', path)
    for (const path of ['public/index.php', 'storage/app/public/photo.jpg'])
      assert.equal(world.entryOf(path), 'r--', path)
    for (const path of ['.', 'storage', 'storage/app']) assert.equal(world.entryOf(path), '--x ---', path)
    for (const path of ['.git', 'app', 'app/Models', 'vendor', 'storage/logs'])
      assert.equal(world.entryOf(path), '--- ---', path)
    for (const path of ['.env', '.git/HEAD', 'artisan', 'app/Models/User.php'])
      assert.equal(world.entryOf(path), '---', path)
    assert.equal(world.entryOf('../../..'), '--x')
    for (const path of ['.env.local', 'app/New.php'])
      assert.equal((world.write(path), world.entryOf(path)), '---', path)
    assert.equal((world.write('public/js/new.js'), world.entryOf('public/js/new.js')), 'r-x')
    if (!IS_ROOT) return
    for (const path of ['public/index.php', 'public/js/new.js', 'storage/app/public/photo.jpg'])
      assert.ok(world.reads(path), path)
    for (const path of ['.env', '.env.local', '.git/HEAD', 'app/New.php', 'storage/logs/laravel.log'])
      assert.ok(!world.reads(path), path)
  })

  test('what the group may not see stays hidden, and at most five of it are named [SRC-008, SRC-009]', async () => {
    using world = startWorld()
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) world.write(`public/${name}.txt`, name, 0o600)
    const { warnings } = await world.apply()
    assert.equal(warnings.length, 1)
    assert.match(
      warnings[0] ?? '',
      /^The web server cannot read (?:public\/[a-f]\.txt(?:, )?){5} and 1 more: /,
    )
    assert.equal(modeOf(world.at('public/a.txt')), '600')
    if (IS_ROOT) assert.ok(!world.reads('public/a.txt'))
    chmodSync(world.at('public/a.txt'), 0o640)
    if (IS_ROOT) assert.ok(world.reads('public/a.txt'))
  })

  test('modes stay as they are, but for the folders that are passed through', async () => {
    using world = startWorld()
    chmodSync(world.at('public/css'), 0o700)
    chmodSync(world.at('storage'), 0o700)
    await world.apply()
    assert.equal(modeOf(world.at('public/css')), '700')
    assert.equal(modeOf(world.at('.env')), '644')
    assert.equal(modeOf(world.at('storage')), '710')
  })

  test('a link in the web root or in the storage is refused with its path, and so is a root behind one; the public storage link is not [SRC-005, RTE-135, RTE-137]', async () => {
    using world = startWorld()
    symlinkSync('../storage/app/public', world.at('public/storage'))
    assert.equal(await refused(world), 'applied')
    const before = world.permissions()
    const refusedWith = async (target: string, path: string): Promise<string> => {
      symlinkSync(target, world.at(path))
      const answer = await refused(world)
      renameSync(world.at(path), world.at('../link'))
      return answer
    }
    for (const [target, path] of [
      ['../.env', 'public/env.txt'],
      ['/etc/passwd', 'public/css/passwd'],
      ['.', 'public/again'],
      ['/etc/hosts', 'storage/app/public/hosts'],
    ] as const)
      assert.equal(await refusedWith(target, path), `app-dev.source_access_failed source-access link ${path}`)
    renameSync(world.at('public/storage'), world.at('../link'))
    assert.equal(
      await refusedWith('../storage', 'public/storage'),
      'app-dev.source_access_failed source-access link public/storage',
    )
    assert.equal(world.permissions().replaceAll(/# file: .*link\n(?:.+\n)+\n/g, ''), before)
    renameSync(world.at('public'), world.at('site'))
    assert.equal(
      await refusedWith('site', 'public'),
      'app-dev.source_access_failed source-access link public',
    )
  })

  test('of a nested web root the one link to the storage of its own application is allowed [RTX-133]', async () => {
    using world = startWorld()
    for (const path of ['apps/site/public/index.php', 'apps/site/storage/app/public/photo.jpg'])
      world.write(path)
    world.served = [{ checkoutPath: world.checkout, webRoots: ['apps/site/public'] }]
    const linked = async (target: string): Promise<string> => {
      symlinkSync(target, world.at('apps/site/public/storage'))
      const answer = await refused(world)
      renameSync(world.at('apps/site/public/storage'), world.at('../link'))
      return answer
    }
    assert.equal(await linked('../storage/app/public'), 'applied')
    assert.equal(world.entryOf('apps/site/storage/app/public'), 'r-x r-x')
    for (const target of ['../../../storage/app/public', '../storage', '../storage/app'])
      assert.equal(
        await linked(target),
        'app-dev.source_access_failed source-access link apps/site/public/storage',
      )
  })

  test('a web root can be checked before it is served, which changes nothing [RTE-135]', async () => {
    using world = startWorld()
    const before = world.permissions()
    const checked = async (webRoot: string): Promise<string> => {
      try {
        await world.access.check(world.session, { checkoutPath: world.checkout, webRoot })
        return 'served'
      } catch (error) {
        const { code, details } = error as CodedError // What the check throws.
        return `${code} ${String(details?.['reason'])} ${String(details?.['path'])}`
      }
    }
    assert.equal(await checked('public'), 'served')
    assert.equal(await checked('nope'), 'app-dev.source_access_failed web_root_missing nope')
    symlinkSync('/etc/passwd', world.at('public/passwd'))
    assert.equal(await checked('public'), 'app-dev.source_access_failed link public/passwd')
    assert.equal(world.permissions(), before)
  })

  test('a missing root and a missing checkout are refused; a checkout that nothing serves may be gone [RTE-135]', async () => {
    using world = startWorld()
    world.served = [{ checkoutPath: world.checkout, webRoots: ['dist'] }]
    assert.equal(await refused(world), 'app-dev.source_access_failed source-access web_root_missing dist')
    renameSync(world.checkout, `${world.checkout}.away`)
    assert.equal(
      await refused(world),
      `app-dev.source_access_failed source-access checkout_missing ${world.checkout}`,
    )
    world.served = []
    assert.equal(await refused(world), 'applied')
  })

  test('a web server with the account of the checkout is granted nothing, and links and missing roots are refused all the same [SRC-005, RTE-135]', async () => {
    using world = startWorld({ account: '' })
    const before = world.permissions()
    world.install('setfacl', 'exit 1')
    world.install('getfacl', 'exit 1')
    assert.equal(await refused(world), 'applied')
    for (const root of ['dist', 'public/index.php']) {
      world.served = [{ checkoutPath: world.checkout, webRoots: [root] }]
      assert.equal(
        await refused(world),
        `app-dev.source_access_failed source-access web_root_missing ${root}`,
      )
    }
    world.served = [{ checkoutPath: world.checkout, webRoots: ['public'] }]
    symlinkSync('../storage/app/public', world.at('public/storage'))
    assert.equal(await refused(world), 'applied')
    symlinkSync('../.env', world.at('public/env.txt'))
    assert.equal(await refused(world), 'app-dev.source_access_failed source-access link public/env.txt')
    renameSync(world.at('public/env.txt'), world.at('../link'))
    renameSync(world.at('public/storage'), world.at('../other'))
    assert.equal(world.permissions().replaceAll(/# file: .*(?:link|other|fake.*)\n(?:.+\n)+\n/g, ''), before)
  })

  test(
    'an entry of somebody else is refused before anything changes [SRC-007]',
    { skip: !IS_ROOT },
    async () => {
      using world = startWorld()
      const before = world.permissions()
      chownSync(world.write('public/css/theirs.css'), 65_534, 65_534)
      assert.equal(
        await refused(world),
        'app-dev.source_access_failed source-access foreign_owner public/css/theirs.css',
      )
      chownSync(world.at('public/css/theirs.css'), 0, 0)
      renameSync(world.at('public/css/theirs.css'), world.at('../theirs'))
      assert.equal(world.permissions().replace(/# file: .*theirs\n(?:.+\n)+\n/, ''), before)
      // A folder above is not the managed user's to have: the web server is only to pass it.
      const above = world.at('../..')
      chownSync(above, 65_533, 65_533)
      chmodSync(above, 0o750)
      assert.equal(await refused(world), `app-dev.source_access_failed source-access closed_above ${above}`)
      execFileSync('setfacl', ['-m', `u:${ACCOUNT}:--x`, above])
      assert.equal(await refused(world), 'applied')
    },
  )

  test('when it fails in the middle, everything is as before [SRC-006]', async () => {
    using world = startWorld()
    world.write('public/css/kept.css', '', 0o600)
    await world.apply()
    world.served = [{ checkoutPath: world.checkout, webRoots: ['app'] }]
    world.install('setfacl', 'case "$*" in *nobody:--x*) exit 1 ;; *) exec /usr/bin/setfacl "$@" ;; esac')
    const before = world.permissions()
    assert.equal(await refused(world), 'app-dev.source_access_failed source-access failed')
    assert.equal(world.permissions(), before)
  })

  test('when nothing could be restored either, the permissions from before stay on the Node, for the managed user alone [RTX-132]', async () => {
    using world = startWorld()
    world.install('setfacl', 'exit 1')
    const answer = await refused(world)
    const kept = /not_restored (\S+ \S+)$/.exec(answer)?.[1] ?? ''
    assert.match(readFileSync(kept, 'utf8'), /^# file: /)
    assert.deepEqual([modeOf(kept), modeOf(dirname(kept))], ['600', '700'])
  })

  test('where they cannot be kept in the home, they stay where they were saved first [RTX-132]', async () => {
    using world = startWorld()
    world.install('setfacl', 'exit 1')
    world.install('cp', 'exit 1')
    const saved = / not_restored (\S+)$/.exec(await refused(world))?.[1] ?? ''
    try {
      assert.match(readFileSync(saved, 'utf8'), /^# file: /)
      assert.equal(modeOf(saved), '600')
    } finally {
      rmSync(saved, { force: true })
    }
  })

  test('permissions that do not fit on the disk are not saved in part: nothing is changed [SRC-006]', async () => {
    using world = startWorld()
    const before = world.permissions()
    // As on a full disk: a file of more than 512 bytes is an error of whoever writes it.
    world.install('sh', 'trap \'\' XFSZ; ulimit -f 1; exec /bin/sh "$@"')
    assert.equal(await refused(world), 'app-dev.source_access_failed source-access not_saved')
    rmSync(world.at('../../../fake/sh'))
    assert.equal(world.permissions().replaceAll(/# file: .*fake\n(?:.+\n)+\n/g, ''), before)
  })

  test('other web roots of the same checkout and of one nested in it are readable together; the repeat changes nothing, and no checkout elsewhere is walked [RTX-131]', async () => {
    using world = startWorld()
    for (const path of ['docs/site/index.html', 'trees/blue/public/index.html', 'trees/blue/.env'])
      world.write(path)
    world.served = [
      { checkoutPath: world.checkout, webRoots: ['public', 'docs/site'] },
      { checkoutPath: world.at('trees/blue'), webRoots: ['public'] },
      { checkoutPath: `${world.checkout}-other`, webRoots: ['public'] },
    ]
    await world.apply()
    const entries = (): readonly string[] =>
      ['public', 'docs', 'docs/site', 'trees/blue', 'trees/blue/public', 'trees/blue/.env'].map(world.entryOf)
    assert.deepEqual(entries(), ['r-x r-x', '--x ---', 'r-x r-x', '--x ---', 'r-x r-x', '---'])
    const before = world.permissions()
    await world.apply()
    assert.equal(world.permissions(), before)
    world.served = world.served.slice(0, 1).map((one) => ({ ...one, webRoots: ['public'] }))
    await world.apply()
    assert.deepEqual(entries(), ['r-x r-x', '--- ---', '--- ---', '--- ---', '--- ---', '---'])
  })

  test('the repository root as web root shows neither the Git directory nor an environment file [SRC-010]', async () => {
    using world = startWorld()
    world.write('packages/a/.env.production')
    world.served = [{ checkoutPath: world.checkout, webRoots: ['.'] }]
    await world.apply()
    assert.deepEqual(
      ['.', 'app/Models/User.php', '.git', '.git/HEAD', '.env', 'packages/a/.env.production'].map(
        world.entryOf,
      ),
      ['r-x r-x', 'r--', '--- ---', '---', '---', '---'],
    )
  })

  test('without a Route nothing is left of the access, and the checkout keeps its modes', async () => {
    using world = startWorld()
    const modes = ['public', '.env', 'storage'].map((path) => modeOf(world.at(path)))
    await world.apply()
    world.served = []
    assert.deepEqual(await world.apply(), { warnings: [] })
    for (const path of ['.', 'public', 'public/index.php', '.env', 'storage/app/public'])
      assert.equal(world.entryOf(path), '', path)
    assert.deepEqual(
      ['public', '.env', 'storage'].map((path) => modeOf(world.at(path))),
      modes,
    )
  })

  test('names of files that mean something to a shell or to find are only names', async () => {
    using world = startWorld()
    for (const name of ['a b', "it's", '-m', '$(id)', '[x]*', 'new\nline'])
      world.write(`public/${name}/index.html`)
    mkdirSync(world.at('we[i]rd *root'))
    world.write('we[i]rd *root/a.html')
    world.served = [{ checkoutPath: world.checkout, webRoots: ['public', 'we[i]rd *root'] }]
    await world.apply()
    assert.equal(world.entryOf('public/new\nline/index.html'), 'r--')
    assert.equal(world.entryOf('we[i]rd *root/a.html'), 'r--')
    assert.equal(world.entryOf('artisan'), '---')
  })

  test('of a release of production the given web roots alone are readable; one that is missing or has a link is refused by a code of its own [RTE-136]', async () => {
    using world = startWorld()
    world.served = []
    const open = async (...webRoots: readonly string[]): Promise<string> => {
      try {
        await world.access.open(world.session, {
          checkoutPath: world.checkout,
          webRoots,
          home: world.at('../../..'),
        })
        return 'opened'
      } catch (error) {
        return refusal(error)
      }
    }
    assert.equal(await open('public'), 'opened')
    assert.deepEqual(['public', '.env', 'app'].map(world.entryOf), ['r-x r-x', '---', '--- ---'])
    for (const missing of ['dist', 'apps/site/public'])
      assert.equal(await open(missing), `app-prod.web_root_invalid source-access web_root_missing ${missing}`)
    symlinkSync('../.env', world.at('public/env.txt'))
    assert.equal(await open('public'), 'app-prod.web_root_invalid source-access link public/env.txt')
    await assert.rejects(
      world.access.open(world.session, {
        checkoutPath: world.checkout,
        webRoots: ['public'],
        home: world.at('../../..'),
      }),
      /^Fault: public\/env\.txt is a symbolic link, /,
    )
    rmSync(world.at('public/env.txt'))
    symlinkSync('../.env', world.at('public/`fleet gateway:remove x`'))
    await assert.rejects(
      world.access.open(world.session, {
        checkoutPath: world.checkout,
        webRoots: ['public'],
        home: world.at('../../..'),
      }),
      /^Fault: public\/\?fleet gateway:remove x\? is a symbolic link, /,
    )
  })

  test('without a web root nothing that is below the folder can be read any more: every release of a home is closed by one request [INS-118]', async () => {
    using world = startWorld()
    world.served = []
    const releases = ['one', 'two'].map((name) => `releases/${name}`)
    for (const release of releases) world.write(`${release}/public/index.php`)
    const at = { home: world.at('../../..') }
    for (const release of releases)
      await world.access.open(world.session, { ...at, checkoutPath: world.at(release), webRoots: ['public'] })
    const entries = (): readonly string[] =>
      releases.flatMap((release) => [`${release}/public/index.php`, release].map(world.entryOf))
    assert.deepEqual(entries(), ['r--', '--x ---', 'r--', '--x ---'])
    await world.access.open(world.session, { ...at, checkoutPath: world.at('releases'), webRoots: [] })
    assert.deepEqual(entries(), ['', '', '', ''])
  })
})
