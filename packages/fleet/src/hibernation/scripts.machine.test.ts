import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { lookForPrunable } from '#/hibernation/dependencies.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'

const text = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
/** As they run: after what both know. */
const script = (name: string): string => `${text('prunable.sh')}${text(name)}`

/** A repository, and package managers that write down how they were called. */
function repository(): Disposable & {
  write(path: string, text?: string): void
  has(path: string): boolean
  run(name: string): void
  /** Whether there is something to remove. */
  look(): Promise<boolean>
  called(): readonly string[]
  /** What a manager does besides, by its name: nothing of it without a text. */
  does(name: string, text: string): void
  readonly root: string
} {
  const home = mkdtempSync(join(tmpdir(), 'fleet-prune-'))
  const root = join(home, 'shop')
  const write = (path: string, text = ''): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  mkdirSync(join(home, 'bin'), { recursive: true })
  for (const name of ['composer', 'npm', 'pnpm', 'bun']) {
    writeFileSync(
      join(home, 'bin', name),
      `#!/bin/sh\necho "${name} $*" >>'${join(home, 'calls')}'\n. '${join(home, name)}'\n`,
    )
    writeFileSync(join(home, name), '')
    chmodSync(join(home, 'bin', name), 0o755)
  }
  const bash = (command: string): void =>
    void execFileSync('bash', ['-eu', '-c', command], {
      cwd: root,
      env: { ...process.env, PATH: `${join(home, 'bin')}:/usr/bin:/bin` },
    })
  const end = (command: string): 'succeeded' | 'failed' => {
    try {
      bash(command)
      return 'succeeded'
    } catch {
      return 'failed'
    }
  }
  write('.gitignore', 'vendor\nnode_modules\n')
  execFileSync('git', ['init', '-q', root])
  return {
    root,
    write,
    has: (path) => existsSync(join(root, path)),
    run: (name) => bash(script(name)),
    look: async () => {
      const instances = {
        runCommand: async (...[, , { command }]: Parameters<Instances['runCommand']>) => end(command),
      }
      const instance = { profile: undefined } as Partial<InstanceRecord> as InstanceRecord // Nothing else is read.
      return (await lookForPrunable(instances, fakeCall(), instance)) === 'succeeded'
    },
    does: (name, does) => writeFileSync(join(home, name), does),
    called: () =>
      existsSync(join(home, 'calls')) ? readFileSync(join(home, 'calls'), 'utf8').trim().split('\n') : [],
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

test('a wake installs what was removed, and nothing that the Instance never had', async () => {
  using shop = repository()
  // Assets that are built elsewhere, packages at another place, and packages of Yarn beside an old lock file of npm.
  for (const path of ['package-lock.json', 'composer.lock', 'libraries/a.php']) shop.write(path)
  assert.equal(await shop.look(), false)
  shop.run('prune.sh')
  shop.run('restore.sh')
  assert.deepEqual(shop.called(), [])
  for (const path of ['yarn.lock', 'node_modules/a.js', 'vendor/a.php']) shop.write(path)
  assert.equal(await shop.look(), true)
  shop.run('prune.sh')
  assert.deepEqual([shop.has('vendor'), shop.has('node_modules/a.js')], [false, true])
  rmSync(join(shop.root, 'node_modules'), { recursive: true })
  shop.run('restore.sh')
  assert.deepEqual(shop.called(), ['composer install --no-interaction --no-ansi --no-progress'])
})

test('a removal that was cut off after its first folder is restored, and so is one of a release without a list', () => {
  using shop = repository()
  for (const path of ['composer.lock', 'package-lock.json', 'vendor/a.php', 'node_modules/b.js'])
    shop.write(path)
  shop.run('prune.sh')
  shop.write('node_modules/b.js')
  shop.run('restore.sh')
  assert.deepEqual(shop.called().length, 1)
  rmSync(join(shop.root, '.git/fleet-pruned-folders'))
  rmSync(join(shop.root, 'node_modules'), { recursive: true })
  shop.run('restore.sh')
  assert.deepEqual(shop.called().slice(1), [
    'composer install --no-interaction --no-ansi --no-progress',
    'npm ci',
  ])
})

for (const [end, text] of [
  ['fails', 'exit 1'],
  ['is killed', 'kill -KILL "$PPID"'],
] as const)
  test(`an installation that ${end} after it has made its folder is done again by the next wake, and no more once it succeeded [HIB-016]`, () => {
    using shop = repository()
    for (const path of ['composer.lock', 'package-lock.json', 'vendor/a.php', 'node_modules/b.js'])
      shop.write(path)
    shop.run('prune.sh')
    shop.does('composer', `mkdir -p vendor/half\n${text}\n`)
    assert.throws(() => shop.run('restore.sh'))
    shop.does('composer', '')
    shop.does('npm', `mkdir -p node_modules/half\n${text}\n`)
    assert.throws(() => shop.run('restore.sh'))
    const composer = 'composer install --no-interaction --no-ansi --no-progress'
    assert.deepEqual(shop.called(), [composer, composer, 'npm ci'])
    shop.does('npm', '')
    shop.run('restore.sh')
    assert.deepEqual(shop.called().slice(3), [composer, 'npm ci'])
    shop.run('restore.sh')
    assert.deepEqual(shop.called().length, 5)
    const notes = readdirSync(join(shop.root, '.git')).filter((name) => name.startsWith('fleet-'))
    assert.deepEqual(notes, ['fleet-pruned-folders'])
  })

test('what a lock file brings back is removed, and nothing of it is seen by Git', () => {
  using shop = repository()
  for (const path of ['composer.lock', 'package-lock.json', 'vendor/a/b.php', 'node_modules/c/d.js'])
    shop.write(path)
  const before = execFileSync('git', ['status', '--porcelain'], { cwd: shop.root, encoding: 'utf8' })
  shop.run('prune.sh')
  assert.deepEqual(
    [shop.has('vendor'), shop.has('node_modules'), shop.has('composer.lock')],
    [false, false, true],
  )
  assert.equal(readdirSync(join(shop.root, '.git')).includes('fleet-pruned'), false)
  assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: shop.root, encoding: 'utf8' }), before)
  shop.run('prune.sh')
})

test('a folder without a lock file, one that Git does not ignore or has files of, and a link are kept', () => {
  using shop = repository()
  shop.write('vendor/own.php')
  shop.run('prune.sh')
  assert.equal(shop.has('vendor/own.php'), true)
  shop.write('composer.lock')
  execFileSync('git', ['add', '-f', 'vendor/own.php'], { cwd: shop.root })
  shop.run('prune.sh')
  assert.equal(shop.has('vendor/own.php'), true)
  shop.write('.gitignore', '')
  shop.write('bun.lock')
  shop.write('node_modules/x')
  shop.run('prune.sh')
  assert.equal(shop.has('node_modules/x'), true)
  shop.write('.gitignore', 'node_modules\n')
  rmSync(join(shop.root, 'node_modules'), { recursive: true })
  shop.write('elsewhere/x')
  symlinkSync('elsewhere', join(shop.root, 'node_modules'))
  shop.run('prune.sh')
  assert.equal(shop.has('node_modules/x'), true)
})

test('packages are kept where lock files of several managers say how to bring them back, and removed where those of one do [HIB-010]', async () => {
  for (const [locks, isRemoved] of [
    [['package-lock.json', 'pnpm-lock.yaml'], false],
    [['npm-shrinkwrap.json', 'bun.lock'], false],
    [['pnpm-lock.yaml', 'bun.lockb'], false],
    [['package-lock.json', 'yarn.lock'], false],
    [['bun.lockb'], false],
    [['package-lock.json', 'npm-shrinkwrap.json'], true],
    [['bun.lock', 'bun.lockb'], true],
  ] as const) {
    using shop = repository()
    for (const path of [...locks, 'node_modules/a.js']) shop.write(path)
    assert.equal(await shop.look(), isRemoved, locks.join(' '))
    shop.run('prune.sh')
    assert.equal(shop.has('node_modules'), !isRemoved, locks.join(' '))
  }
})

test('a folder with a repository in it is kept, and the other one is removed', async () => {
  using shop = repository()
  for (const path of ['composer.lock', 'package-lock.json', 'node_modules/a.js', 'vendor/acme/lib/a.php'])
    shop.write(path)
  execFileSync('git', ['init', '-q', join(shop.root, 'vendor/acme/lib')])
  shop.run('prune.sh')
  assert.deepEqual([shop.has('vendor/acme/lib/a.php'), shop.has('node_modules')], [true, false])
  assert.equal(await shop.look(), false)
})

for (const [lock, call] of [
  ['composer.lock', 'composer install --no-interaction --no-ansi --no-progress'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['bun.lock', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
] as const)
  test(`what ${lock} says is installed where it is missing, by its own manager and nothing newer`, () => {
    using shop = repository()
    shop.write(lock)
    shop.run('restore.sh')
    assert.deepEqual(shop.called(), [call])
    shop.write('vendor/a')
    shop.write('node_modules/a')
    shop.run('restore.sh')
    assert.deepEqual(shop.called(), [call])
  })
