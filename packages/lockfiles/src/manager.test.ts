import assert from 'node:assert/strict'
import { test } from 'node:test'
import { javascriptOf, outcomeOf } from './fixtures.ts'

type Fields = Readonly<Record<string, unknown>>

const LOCKS: Fields = {
  'package-lock.json': { lockfileVersion: 3, packages: {} },
  'pnpm-lock.yaml': "lockfileVersion: '9.0'\nimporters:\n  .: {}\n",
  'bun.lock': { lockfileVersion: 1, workspaces: { '': {} }, packages: {} },
  'yarn.lock': '',
}

const NAMES: Readonly<Record<string, string>> = {
  npm: 'package-lock.json',
  pnpm: 'pnpm-lock.yaml',
  bun: 'bun.lock',
  yarn: 'yarn.lock',
}

/** The format that was read, or the outcome; files are named by manager or by file. */
function chosen(manifest: Fields, ...files: readonly string[]): string {
  const names = files.map((one) => NAMES[one] ?? one)
  const reading = javascriptOf({
    'package.json': manifest,
    ...Object.fromEntries(names.map((name) => [name, LOCKS[name] ?? ''])),
  })
  return reading.status === 'read' ? reading.format : outcomeOf(reading)
}

const AMBIGUOUS = 'dependencies.ambiguous_manager'
const FORMAT = 'dependencies.unsupported_format'
const MISSING = 'dependencies.incomplete_source'

test('packageManager decides, then devEngines, then the files that are there, then pnpm [DEX-021]', () => {
  const engines = (packageManager: unknown): Fields => ({ devEngines: { packageManager } })
  assert.equal(chosen({ packageManager: 'npm@11.0.0' }, 'npm'), 'npm-3')
  assert.equal(chosen({ packageManager: 'bun@1.3.0+sha256.f00d' }, 'bun'), 'bun-1')
  assert.equal(chosen({ packageManager: 'pnpm@9', ...engines({ name: 'pnpm' }) }, 'pnpm'), 'pnpm-9.0')
  assert.equal(chosen(engines({ name: 'npm', version: '11' }), 'npm'), 'npm-3')
  assert.equal(chosen(engines([{ name: 'bun' }]), 'bun'), 'bun-1')
  for (const [manager, format] of [
    ['npm', 'npm-3'],
    ['pnpm', 'pnpm-9.0'],
    ['bun', 'bun-1'],
  ] as const)
    assert.equal(chosen({}, manager), format)
  assert.equal(chosen({}, 'bunfig.toml', 'bun'), 'bun-1')
  assert.equal(
    chosen({}),
    `${MISSING}: pnpm-lock.yaml is missing, as are the locks of npm and Bun, and package.json names no package manager`,
  )
  assert.equal(chosen({}, 'pnpm-workspace.yaml'), `${MISSING}: pnpm-lock.yaml is missing`)
})

test('a declared manager wins over stray locks and settings of others [DEP-016]', () => {
  for (const [manager, format] of [
    ['npm', 'npm-3'],
    ['pnpm', 'pnpm-9.0'],
    ['bun', 'bun-1'],
  ] as const) {
    const strays = ['yarn.lock', '.yarnrc.yml', 'bunfig.toml', 'bun.lockb', 'npm', 'pnpm', 'bun']
    assert.equal(chosen({ packageManager: `${manager}@1.0.0` }, ...strays), format)
  }
})

test('two families, and a manager without its lock, have codes of their own [DEX-025, DEP-017, DEP-048]', () => {
  assert.match(chosen({}, 'npm', 'pnpm'), new RegExp(`^${AMBIGUOUS}: pnpm-lock.yaml competes`))
  for (const files of [
    ['npm', 'bun'],
    ['pnpm', 'bun'],
    ['npm', 'yarn'],
    ['npm', 'pnpm-workspace.yaml'],
    ['npm', 'bunfig.toml'],
    ['pnpm', '.yarnrc'],
    ['bun.lockb', 'npm'],
  ])
    assert.match(chosen({}, ...files), new RegExp(`^${AMBIGUOUS}: `), files.join())
  const two = { packageManager: 'pnpm@9.0.0', devEngines: { packageManager: { name: 'npm' } } }
  assert.equal(chosen(two, 'pnpm'), `${AMBIGUOUS}: package.json declares two different package managers`)
  const listed = { devEngines: { packageManager: [{ name: 'pnpm' }, { name: 'bun' }] } }
  assert.match(chosen(listed, 'pnpm'), new RegExp(`^${AMBIGUOUS}`))
  for (const [manager, file] of [
    ['npm', 'package-lock.json'],
    ['pnpm', 'pnpm-lock.yaml'],
    ['bun', 'bun.lock'],
  ] as const)
    assert.equal(chosen({ packageManager: `${manager}@1.0.0` }, 'yarn'), `${MISSING}: ${file} is missing`)
  assert.equal(outcomeOf(javascriptOf({ 'bun.lock': '{}' })), `${MISSING}: package.json is missing`)
})

test('Yarn, a binary lock and unknown managers are unsupported formats [DEX-024]', () => {
  assert.match(chosen({}, 'yarn'), new RegExp(`^${FORMAT}: yarn.lock belongs to Yarn`))
  assert.match(chosen({}, '.yarnrc.yml'), new RegExp(`^${FORMAT}: .yarnrc.yml`))
  assert.match(chosen({ packageManager: 'yarn@4.0.0' }, 'npm'), new RegExp(`^${FORMAT}: package.json`))
  assert.match(chosen({}, 'bun.lockb'), new RegExp(`^${FORMAT}: bun.lockb is a binary lock`))
  assert.equal(
    chosen({ packageManager: 'vlt@1' }),
    `${FORMAT}: package.json names a package manager that is not supported`,
  )
  const unsupported = { lockfileVersion: 3, workspaces: { '': {} }, packages: {} }
  assert.match(
    outcomeOf(javascriptOf({ 'package.json': {}, 'bun.lock': unsupported })),
    /^dependencies.unsupported_format: bun.lock/,
  )
  const layout = /^dependencies.unsupported_layout: package.json/
  for (const manifest of [
    { workspaces: ['packages/*'] },
    { workspaces: { packages: ['a'] } },
    { dependencies: { a: 'file:../a' } },
    { devDependencies: { a: 'link:../a' } },
    { dependencies: { a: 'workspace:*' } },
    { optionalDependencies: { a: '../a' } },
    { dependencies: { a: '~/a' } },
  ])
    for (const manager of ['npm', 'pnpm', 'bun'])
      assert.match(chosen(manifest, manager), layout, JSON.stringify(manifest))
})
