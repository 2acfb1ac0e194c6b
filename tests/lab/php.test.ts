import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { hostilePaths, hostileSource, SERVED_TYPES } from '@fleet/testing'
import { checkoutOf, own, type PhpHost, poolFor, siteFor, startPhpHost, USER, writeOn } from './php-host.ts'
import { waitFor } from '../../lab/wait.ts'
import { onHosts } from './site.ts'

/** Of Debian 12 and 13. */
const VERSIONS: Readonly<Record<string, string>> = { bookworm: '8.2', trixie: '8.4' }

async function versionOn({ host }: PhpHost): Promise<string | undefined> {
  const [, release = ''] = /^VERSION_CODENAME=(\w+)$/m.exec(await host.run(['cat', '/etc/os-release'])) ?? []
  return VERSIONS[release]
}

/** Routes to sources of every type, as the records of a gateway would have them. */
async function serveAll(on: PhpHost): Promise<void> {
  const version = await on.php.versionFor(await on.session(), {
    checkoutPath: checkoutOf('laravel-app'),
    directory: '',
  })
  assert.equal(version, await versionOn(on))
  const all = SERVED_TYPES.map((type, at) => ({ type, id: at + 1, pool: poolFor(type, at + 1, version) }))
  on.records = {
    pools: all.flatMap(({ pool }) => pool ?? []),
    sites: all.map(({ type, id, pool }) => siteFor(on.host, type, id, pool)),
    served: all.map(({ type }) => ({
      checkoutPath: checkoutOf(type),
      webRoots: [hostileSource(type).webRoot],
    })),
  }
  await on.publish()
}

const entryOf = async (on: PhpHost, path: string): Promise<string | undefined> =>
  /^user:caddy:(\S+)/m.exec(await on.host.run(['getfacl', '-c', '-p', path]))?.[1]

const canRead = async (on: PhpHost, path: string): Promise<boolean> =>
  (await on.host.attempt(['runuser', '-u', 'caddy', '--', 'cat', path])).status === 0

test(
  'PHP answers through Debian’s process manager and web server over a certificate of the fleet, and of a source nothing is served or readable but what is to be [SRC-001, SRC-002, SRC-004, SRC-010, RTX-085, RTX-119, RTX-122]',
  onHosts,
  async (context) => {
    await using on = await startPhpHost('php')
    const began = performance.now()
    await serveAll(on)
    assert.equal(await on.ask('laravel-app', '/'), 'app')
    context.diagnostic(`five sources served in ${(performance.now() - began).toFixed(0)} ms`)
    const wrong: string[] = []
    for (const type of SERVED_TYPES)
      for (const { path, expected } of hostilePaths(type)) {
        const answer = await on.ask(type, path)
        if (answer !== expected) wrong.push(`${type} ${path}: ${expected} was expected, not ${answer}`)
      }
    assert.deepEqual(wrong, [])

    const checkout = checkoutOf('laravel-app')
    for (const [path, entry] of [
      ['.env', '---'],
      ['.git', '---'],
      ['config/database.php', '---'],
      ['.', '--x'],
      ['storage/app', '--x'],
      ['public', 'r-x'],
      ['public/css/app.css', 'r--'],
      ['storage/app/public/photo.jpg', 'r--'],
    ] as const)
      assert.equal(await entryOf(on, join(checkout, path)), entry, path)
    assert.equal(await canRead(on, `${checkout}/public/css/app.css`), true)
    for (const path of [
      '.env',
      '.git/config',
      'config/database.php',
      'storage/logs/laravel.log',
      'public/.env',
    ])
      assert.equal(await canRead(on, join(checkout, path)), false, path)

    // A link that came after the Route leads nowhere into the checkout.
    await on.host.run([
      'runuser',
      '-u',
      USER,
      '--',
      'ln',
      '-s',
      '../.env',
      join(checkout, 'public/later.txt'),
    ])
    assert.equal(await on.ask('laravel-app', '/later.txt'), '403')
    await assert.rejects(on.access.apply(await on.session(), checkout), {
      code: 'app-dev.source_access_failed',
      details: {
        node: { id: 1, name: 'php' },
        step: 'source-access',
        reason: 'link',
        path: 'public/later.txt',
      },
    })
  },
)

test(
  'code runs as the managed user in its directory with the settings of development; a pool that is added ends no running request, and the role takes its pools away [RTX-120, RTX-121, RTX-128]',
  onHosts,
  async () => {
    await using on = await startPhpHost('pools')
    const checkout = checkoutOf('laravel-app')
    const settings = ['opcache.validate_timestamps', 'opcache.revalidate_freq', 'opcache.memory_consumption']
    const reads = settings.map((name) => `ini_get('${name}')`).join(", ' ', ")
    writeOn(
      on.host,
      `${checkout}/public/who.php`,
      `<?php echo 'script ', get_current_user(), ' ', posix_getpwuid(posix_geteuid())['name'], ' ', getcwd(), ' ', ${reads};`,
    )
    writeOn(
      on.host,
      `${checkout}/public/slow.php`,
      `<?php for ($i = 0; $i < 80; $i++) usleep(50000); echo 'script slow';`,
    )
    await own(on.host)
    await serveAll(on)
    const { pools } = on.records
    const [first] = pools
    assert.ok(first)
    const poolFile = `/etc/php/${first.version}/fpm/pool.d/fleet-scopes.conf`
    const who = await on.host.run(['cat', poolFile])
    assert.match(who, new RegExp(`^user = ${USER}$`, 'm'))
    assert.equal(await on.say('laravel-app', '/who.php'), `script ${USER} ${USER} ${checkout}/public 1 0 512`)

    const slow = on.ask('laravel-app', '/slow.php')
    const added = { ...first, name: 'orbit-app-instance-99', instance: { id: 99, name: 'other' } }
    on.records = { ...on.records, pools: [...pools, added] }
    await on.php.converge(await on.session())
    assert.equal(await slow, 'script')
    assert.equal((await on.host.attempt(['test', '-S', '/run/php/orbit-app-instance-99.sock'])).status, 0)

    await on.php.withdraw(await on.session())
    assert.equal((await on.host.attempt(['test', '-e', poolFile])).status, 1)
    // The manager ends its workers before it reads its pools again.
    const isClosed = async () =>
      (await on.host.attempt(['test', '-S', '/run/php/orbit-app-instance-1.sock'])).status === 1 || undefined
    assert.equal(await waitFor(20, isClosed), true)
    assert.equal((await on.host.run(['systemctl', 'is-active', `php${first.version}-fpm`])).trim(), 'active')
  },
)
