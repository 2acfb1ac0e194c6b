import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completed, type Lock, lockfile, platformOf } from './lockfile.ts'

const lock: Lock = {
  packages: {
    '': {},
    'node_modules/@fleet/kernel': { resolved: 'packages/kernel', link: true },
    'node_modules/@tool/linux-x64-gnu': { version: '1.0.0', optional: true },
    'node_modules/tool': {
      version: '1.0.0',
      dev: true,
      optionalDependencies: {
        '@tool/darwin-arm64': '1.0.0',
        '@tool/linux-x64-gnu': '1.0.0',
        '@tool/linux-x64-musl': '1.0.0',
      },
    },
  },
}

test('a build that the lock lacks is reported', () => {
  const { seen, problems } = lockfile(lock)
  assert.equal(seen, 4)
  assert.deepEqual(problems, [
    'package-lock.json  lacks @tool/darwin-arm64, so npm ci refuses it: npm run lock',
    'package-lock.json  lacks @tool/linux-x64-musl, so npm ci refuses it: npm run lock',
  ])
})

test('a completed lock has every build, in the order of npm, and keeps the rest', () => {
  const { packages } = completed(lock)
  assert.deepEqual(lockfile({ packages }).problems, [])
  assert.deepEqual(Object.keys(packages), [
    '',
    'node_modules/@fleet/kernel',
    'node_modules/@tool/darwin-arm64',
    'node_modules/@tool/linux-x64-gnu',
    'node_modules/@tool/linux-x64-musl',
    'node_modules/tool',
  ])
  assert.deepEqual(packages['node_modules/@tool/linux-x64-musl'], {
    version: '1.0.0',
    cpu: ['x64'],
    dev: true,
    libc: ['musl'],
    optional: true,
    os: ['linux'],
  })
  assert.deepEqual(packages['node_modules/@fleet/kernel'], lock.packages['node_modules/@fleet/kernel'])
})

test('a lock names no address of a registry', () => {
  const named: Lock = {
    packages: { 'node_modules/a': { version: '1.0.0', resolved: 'https://registry.example/a.tgz' } },
  }
  assert.match(lockfile(named).problems[0] ?? '', /names the address that node_modules\/a came from/)
  assert.deepEqual(completed(named).packages['node_modules/a'], { version: '1.0.0' })
})

test('a name reports its platform or is refused', () => {
  assert.deepEqual(platformOf('@tool/binding-linux-arm-gnueabihf'), {
    os: 'linux',
    cpu: 'arm',
    libc: 'glibc',
  })
  assert.deepEqual(platformOf('@tool/win32-arm64'), { os: 'win32', cpu: 'arm64', libc: undefined })
  assert.throws(() => platformOf('@tool/other'), /tells no platform/)
})
