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

const script = (name: string): string => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')

/** A repository, and package managers that write down how they were called. */
function repository(): Disposable & {
  write(path: string, text?: string): void
  has(path: string): boolean
  run(name: string): void
  called(): readonly string[]
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
    writeFileSync(join(home, 'bin', name), `#!/bin/sh\necho "${name} $*" >>'${join(home, 'calls')}'\n`)
    chmodSync(join(home, 'bin', name), 0o755)
  }
  write('.gitignore', 'vendor\nnode_modules\n')
  execFileSync('git', ['init', '-q', root])
  return {
    root,
    write,
    has: (path) => existsSync(join(root, path)),
    run: (name) =>
      void execFileSync('bash', ['-eu', '-c', script(name)], {
        cwd: root,
        env: { ...process.env, PATH: `${join(home, 'bin')}:/usr/bin:/bin` },
      }),
    called: () =>
      existsSync(join(home, 'calls')) ? readFileSync(join(home, 'calls'), 'utf8').trim().split('\n') : [],
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

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
