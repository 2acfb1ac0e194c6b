import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import type { Manager } from '#/tools/managers/manager.ts'
import { brew } from '#/tools/managers/brew.ts'
import { vitePlus } from '#/tools/managers/vp.ts'
import { type AptWorld, startAptWorld } from '#/tools/world.test.ts'

const OFFICIAL = 'https://github.com/Homebrew/brew'
const LINUX = 'home/linuxbrew/.linuxbrew'
const isRoot = process.getuid?.() === 0

const call = () => fakeCall()

const machine = ({ fleet: { host } }: AptWorld, system: 'Linux' | 'Darwin', processor: string): void =>
  host.install('uname', `case $1 in -m) echo ${processor} ;; *) echo ${system} ;; esac`)

function refusalOf(error: unknown): readonly [string, unknown] {
  assert.ok(error instanceof CodedError)
  return [error.code, error.details?.['reason']]
}

/** Code and reason with which the scope is refused, or the version of its manager. */
const inspected = ({ fleet: { session } }: AptWorld, manager: Manager): Promise<unknown> =>
  manager.inspect(session).catch(refusalOf)

const REFUSED = {
  absent: ['tool.manager_unavailable', 'absent'],
  conflicting: ['tool.manager_unavailable', 'conflicting'],
}

const managerOf = async ({ handlers, fleet }: AptWorld, wanted: string) => {
  const { data } = await handlers['tool:manager:list']({ call: call(), input: { node_id: fleet.node.id } })
  const found = data.find(({ name }) => name === wanted)
  return found && [found.status, found.installed_version, found.failed_step, found.error_code]
}

const onMacos = async (world: AptWorld): Promise<void> => {
  await world.fleet.store.db.updateTable('nodes').set({ platform: 'macos' }).execute()
}

const git = (at: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', at, ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  }).trim()

const AUTHOR = ['-c', 'user.name=test', '-c', 'user.email=test@example.com']
const BREW = `#!/bin/sh\necho 'Homebrew 6.0.22'\n`

/** A checkout of Homebrew whose program only knows its version. */
function checkout(at: string, program: string): void {
  mkdirSync(at, { recursive: true })
  git(at, 'init', '--quiet')
  git(at, 'remote', 'add', 'origin', OFFICIAL)
  mkdirSync(dirname(program), { recursive: true })
}

test('Composer becomes ready on first use: its home is made for the managed user, and recorded [TLX-014]', async () => {
  await using world = await startAptWorld()
  const { host, node } = world.fleet
  host.install('unzip', 'exit 0')
  host.install(
    'composer',
    'case $* in *--version*) echo Composer version 2.5.5 2023-03-21 11:50:05 ;; *) exit 1 ;; esac',
  )
  const input = { node_id: node.id, manager: 'composer', package: 'acme/hello' } as const
  assert.deepEqual(await managerOf(world, 'composer'), ['uninstalled', null, null, null])
  // The package is not to be had, but the manager is there from now on.
  await assert.rejects(world.handlers['tool:install']({ call: call(), input }))
  assert.deepEqual(await managerOf(world, 'composer'), ['active', '2.5.5', null, null])
})

test('Vite+ becomes ready on first use, from an archive of one digest, in a store of the managed user [TLX-014]', async () => {
  await using world = await startAptWorld()
  const { host, session } = world.fleet
  host.write('archive/package/vp', '#!/bin/sh\necho "vp v1.2.3"\n', 0o755)
  execFileSync('tar', ['-czf', host.at('vp.tgz'), '-C', host.at('archive'), 'package'])
  host.install(
    'curl',
    `while [ $# -gt 1 ]; do if [ "$1" = -o ]; then cp '${host.at('vp.tgz')}' "$2"; fi; shift; done`,
  )
  machine(world, 'Linux', 'x86_64')
  world.set('ca-certificates', { candidate: '1' })
  const sha512 = createHash('sha512')
    .update(readFileSync(host.at('vp.tgz')))
    .digest('hex')
  const build = {
    version: '1.2.3',
    machine: 'x86_64',
    archive: 'https://registry.example.com/vp.tgz',
    sha512,
  }
  const manager = vitePlus(host.root, build)
  assert.deepEqual(await inspected(world, manager), REFUSED.absent)
  assert.equal(await manager.provision?.(session), '1.2.3')
  assert.equal(await inspected(world, manager), '1.2.3')
})

for (const place of ['.vite-plus', '.local/share/vite-plus'])
  test(`the Vite+ that a user has in ${place} is the one of the Node: the first installation brings no other before it [TOOL-060, TOOL-062]`, async () => {
    await using world = await startAptWorld()
    const { host, node } = world.fleet
    host.write(`${place}/bin/vp`, '#!/bin/sh\necho "vp v0.3.0"\n', 0o755)
    host.install('curl', 'touch "$0.ran"; exit 1')
    // No build of Fleet's own would be there for it.
    machine(world, 'Linux', 'aarch64')
    const input = { node_id: node.id, manager: 'vp', package: 'cowsay' } as const
    // The package is not to be had, but the manager is recorded as it is.
    await assert.rejects(
      world.handlers['tool:install']({ call: call(), input }),
      ({ code }: CodedError) => code !== 'tool.manager_provision_failed',
    )
    assert.deepEqual(await managerOf(world, 'vp'), ['active', '0.3.0', null, null])
    assert.equal(existsSync(host.at('opt/orbit/vite-plus')), false)
    assert.equal(host.read('fake/curl.ran'), undefined)
  })

test('a Vite+ that Fleet may not use is refused on first use, and none is installed beside it [TLX-017, TOOL-062]', async () => {
  await using world = await startAptWorld()
  const { host, node } = world.fleet
  host.write('.vite-plus/bin/vp', '#!/bin/sh\necho "vp v0.3.0"\n', 0o644)
  machine(world, 'Linux', 'x86_64')
  const input = { node_id: node.id, manager: 'vp', package: 'cowsay' } as const
  await assert.rejects(
    world.handlers['tool:install']({ call: call(), input }),
    (error) => refusalOf(error).join() === REFUSED.conflicting.join(),
  )
  assert.equal(existsSync(host.at('opt/orbit/vite-plus')), false)
})

test('Homebrew becomes ready on first use on Linux: one revision, checked out by the real Git, which must be the pinned one [TLX-014, TLX-015]', async () => {
  await using world = await startAptWorld()
  const { host, session } = world.fleet
  machine(world, 'Linux', 'x86_64')
  const origin = host.at('origin')
  checkout(origin, join(origin, 'bin/brew'))
  host.write('origin/bin/brew', BREW, 0o755)
  git(origin, 'add', '.')
  git(origin, ...AUTHOR, 'commit', '--quiet', '--message=one')
  git(origin, 'tag', '6.0.22')
  const revision = git(origin, 'rev-parse', 'HEAD')
  host.write('.gitconfig', `[url "file://${origin}"]\n\tinsteadOf = ${OFFICIAL}\n`)
  const managed = brew(host.root, { tag: '6.0.22', revision })
  const provisioned = (manager = managed) =>
    manager.provision?.(session).catch((error: unknown) => refusalOf(error)[1])
  const head = () => git(host.at(LINUX), 'rev-parse', 'HEAD')
  assert.deepEqual(await inspected(world, managed), REFUSED.absent)
  assert.equal(await provisioned(brew(host.root, { tag: '6.0.22', revision: 'f'.repeat(40) })), 'digest')
  assert.equal(await provisioned(), '6.0.22')
  assert.equal(head(), revision)
  // What somebody moved is brought back, what somebody changed is left as it is.
  git(host.at(LINUX), ...AUTHOR, 'commit', '--quiet', '--allow-empty', '--message=two')
  assert.notEqual(head(), revision)
  assert.equal(await provisioned(), '6.0.22')
  assert.equal(head(), revision)
  host.write(`${LINUX}/bin/brew`, `${BREW}# changed\n`, 0o755)
  assert.equal(await provisioned(), 'conflicting')
  git(host.at(LINUX), 'checkout', '--quiet', '.')
  git(host.at(LINUX), 'remote', 'set-url', 'origin', 'https://example.com/brew')
  assert.equal(await provisioned(), 'conflicting')
  git(host.at(LINUX), 'remote', 'set-url', 'origin', OFFICIAL)
  if (isRoot) {
    chownSync(host.at(LINUX), 65_534, 65_534)
    assert.deepEqual(await inspected(world, managed), REFUSED.conflicting)
  }
})

/** Homebrew where macOS has it: on Apple's own processors, and on those of Intel. */
const LAYOUTS = {
  arm64: { repository: 'opt/homebrew', program: 'opt/homebrew/bin/brew' },
  x86_64: { repository: 'usr/local/Homebrew', program: 'usr/local/Homebrew/bin/brew' },
} as const

for (const [processor, { repository, program }] of Object.entries(LAYOUTS))
  test(`Homebrew of macOS on ${processor} is accepted in its own place, of its own origin and owner, and nowhere else [TLX-016]`, async () => {
    await using world = await startAptWorld()
    const { host } = world.fleet
    machine(world, 'Darwin', processor)
    const manager = brew(host.root)
    const isIntel = processor === 'x86_64'
    const link = host.at('usr/local/bin/brew')
    assert.deepEqual(await inspected(world, manager), REFUSED.absent)
    checkout(host.at(repository), host.at(program))
    host.write(program, BREW, 0o755)
    if (isIntel) {
      assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync('../Homebrew/bin/brew', link)
    }
    assert.equal(await inspected(world, manager), '6.0.22')

    const refusedWhile = async (change: () => void, back: () => void): Promise<void> => {
      change()
      assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
      back()
      assert.equal(await inspected(world, manager), '6.0.22')
    }
    const origin = (url: string) => () => void git(host.at(repository), 'remote', 'set-url', 'origin', url)
    await refusedWhile(origin('https://example.com/brew'), origin(OFFICIAL))
    const moved = host.at('moved')
    await refusedWhile(
      () => renameSync(host.at(`${repository}/.git`), moved),
      () => renameSync(moved, host.at(`${repository}/.git`)),
    )
    // A link in the place of the program, and on Intel's anything but the link to its own.
    const shown = isIntel ? link : host.at(program)
    await refusedWhile(
      () => {
        renameSync(shown, moved)
        symlinkSync(isIntel ? '../Other/bin/brew' : moved, shown)
      },
      () => renameSync(moved, shown),
    )
    if (isIntel)
      await refusedWhile(
        () => {
          rmSync(link)
          host.write('usr/local/bin/brew', BREW, 0o755)
        },
        () => {
          rmSync(link)
          symlinkSync('../Homebrew/bin/brew', link)
        },
      )
    if (isRoot)
      await refusedWhile(
        () => chownSync(host.at(repository), 65_534, 65_534),
        () => chownSync(host.at(repository), 0, 0),
      )
  })

test('on macOS Homebrew and Vite+ are verified in place, and nothing is installed for a Tool, a cask included [TLX-013, TLX-014]', async () => {
  await using world = await startAptWorld()
  const { host, node } = world.fleet
  await onMacos(world)
  machine(world, 'Darwin', 'arm64')
  for (const name of ['curl', 'git', 'apt-get'])
    host.install(name, 'echo "${0##*/} $*" >>"${0%/*}/fetched"; exit 1')
  const install = (manager: 'brew' | 'brew-cask' | 'vp') =>
    world.handlers['tool:install']({ call: call(), input: { node_id: node.id, manager, package: 'jq' } })
  const absent = ['failed', null, 'manager-absent', 'node.tool_manager_absent']
  for (const manager of ['brew', 'brew-cask', 'vp'] as const) {
    await assert.rejects(install(manager), { code: 'tool.manager_unavailable', status: 409 })
    assert.deepEqual(await managerOf(world, manager), absent, manager)
  }
  assert.equal(host.read('fake/fetched'), undefined)
  host.write('opt/homebrew', 'a file')
  await assert.rejects(install('brew'), { code: 'tool.manager_unavailable', status: 409 })
  const conflicting = ['failed', null, 'manager-conflict', 'node.tool_manager_conflict']
  assert.deepEqual(await managerOf(world, 'brew'), conflicting)
  rmSync(host.at('opt/homebrew'))
  checkout(host.at('opt/homebrew'), host.at('opt/homebrew/bin/brew'))
  host.write('opt/homebrew/bin/brew', BREW, 0o755)
  host.write('.vite-plus/bin/vp', '#!/bin/sh\necho "vp v1.0.0"\n', 0o755)
  rmSync(host.at('fake/git'))
  for (const [manager, version] of [
    ['brew', '6.0.22'],
    ['brew-cask', '6.0.22'],
    ['vp', '1.0.0'],
  ] as const) {
    // Neither of them says anything of the package.
    await assert.rejects(install(manager))
    assert.deepEqual(await managerOf(world, manager), ['active', version, null, null])
  }
  assert.equal(host.read('fake/fetched'), undefined)
})

test('a store of Vite+ that is not a folder of the user with a program in it is conflicting, and on macOS so are two [TLX-017]', async () => {
  await using world = await startAptWorld()
  const { host } = world.fleet
  const manager = vitePlus(host.root)
  machine(world, 'Linux', 'x86_64')
  const store = host.at('opt/orbit/vite-plus')
  const program = (at: string): void => host.write(`${at}/bin/vp`, '#!/bin/sh\necho "vp v1.0.0"\n', 0o755)
  program('opt/orbit/vite-plus')
  assert.equal(await inspected(world, manager), '1.0.0')
  chmodSync(join(store, 'bin/vp'), 0o644)
  assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
  chmodSync(join(store, 'bin/vp'), 0o755)
  if (isRoot) {
    chownSync(store, 65_534, 65_534)
    assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
    chownSync(store, 0, 0)
  }
  renameSync(store, host.at('elsewhere'))
  symlinkSync(host.at('elsewhere'), store)
  assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
  rmSync(store)
  host.write('opt/orbit/vite-plus', 'a file')
  assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
  rmSync(store)
  program('.vite-plus')
  program('.local/share/vite-plus')
  assert.equal(await inspected(world, manager), '1.0.0')
  machine(world, 'Darwin', 'arm64')
  assert.deepEqual(await inspected(world, manager), REFUSED.conflicting)
  rmSync(host.at('.vite-plus'), { recursive: true })
  assert.equal(await inspected(world, manager), '1.0.0')
})
