import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRepeat } from '#/repeats.ts'
import {
  applicationDirectory,
  directoryChain,
  freePort,
  comparedPlacement,
  isSameDomain,
  VITE_PORTS,
  wantedBranch,
} from './rules.ts'

test('the free port is the smallest unused one of the range, until none is left [INS-013]', () => {
  assert.equal(freePort([]), VITE_PORTS.first)
  assert.equal(freePort([VITE_PORTS.first, VITE_PORTS.first + 2]), VITE_PORTS.first + 1)
  const all = Array.from({ length: VITE_PORTS.last - VITE_PORTS.first + 1 }, (_, i) => VITE_PORTS.first + i)
  assert.equal(freePort(all), undefined)
})

test('the application directory is the web root without a trailing public [PRJ-020]', () => {
  const cases = [
    ['.', ''],
    ['public', ''],
    ['apps/site/public', 'apps/site'],
    ['apps/public/web', 'apps/public/web'],
    ['dist', 'dist'],
    ['republic', 'republic'],
  ] as const
  for (const [root, directory] of cases) assert.equal(applicationDirectory(root), directory)
})

test('the wanted branch is the given one, else the default branch for default, else the name [INS-046, INS-047, INS-048]', () => {
  assert.equal(wantedBranch({ name: 'default' }, 'main'), 'main')
  assert.equal(wantedBranch({ name: 'feature' }, 'main'), 'feature')
  assert.equal(wantedBranch({ name: 'default', branch: 'dev' }, 'main'), 'dev')
})

test('any differing value makes another placement [INS-051]', () => {
  const stored = { node_id: 1, root: null, branch_override: null, database_server: null, copy: null }
  const same = { project_id: 1, node_id: 1, name: 'feature' }
  assert.equal(isRepeat(comparedPlacement(stored, same)), true)
  for (const given of [
    { node_id: 2 },
    { root: 'web' },
    { branch: 'main' },
    { database_server: 'main' },
    { source_instance_id: 7 },
  ]) {
    const compared = comparedPlacement(stored, { ...same, ...given })
    const differing = Object.keys(compared).filter((member) => compared[member] === false)
    assert.deepEqual(differing, Object.keys(given))
  }
})

test('another domain is another request; a Route that a type without one got later is not [INS-051]', () => {
  const generated = { domain: 'shop.test', provenance: 'generated' } as const
  const explicit = { domain: 'a.test', provenance: 'explicit' } as const
  const [app, mono] = ['laravel-app', 'monorepo'] as const
  for (const [route, type, domain, same] of [
    [undefined, mono, undefined, true],
    [generated, app, undefined, true],
    [explicit, mono, undefined, true],
    [explicit, app, undefined, false],
    [explicit, app, 'A.Test.', true],
    [explicit, app, 'b.test', false],
    [generated, app, 'shop.test', false],
    [undefined, mono, 'a.test', false],
  ] as const)
    assert.equal(isSameDomain(route, { type, domain }), same, `${route?.provenance} ${domain}`)
})

test('a directory is normalized, climbs by whole names, and is not followed through two dots', () => {
  assert.deepEqual(directoryChain('/a//b/./d/'), ['/a/b/d', '/a/b', '/a'])
  assert.deepEqual(directoryChain('/a/..b/c..'), ['/a/..b/c..', '/a/..b', '/a'])
  assert.deepEqual(directoryChain('/'), [])
  for (const other of ['a/b', '/a/../b', '/a/..', '/..', '']) assert.equal(directoryChain(other), undefined)
})

test('every directory of a chain is a prefix of the one before it, and none ends in a slash', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z.]{1,4}$/), { maxLength: 6 }), (names) => {
      const chain = directoryChain(`/${names.join('/')}`) ?? []
      assert.equal(chain.length === 0, names.includes('..') || names.every((name) => name === '.'))
      for (const [index, path] of chain.entries()) {
        assert.ok(path.startsWith('/') && !path.endsWith('/'))
        assert.ok(index === 0 || chain[index - 1]?.startsWith(`${path}/`))
      }
    }),
  )
})
