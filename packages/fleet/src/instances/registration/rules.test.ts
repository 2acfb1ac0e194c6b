import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  branchOf,
  overlaps,
  registeredName,
  requireWellFormed,
  sourcePathOf,
} from '#/instances/registration/rules.ts'

test('the branch of a checkout is that of its HEAD, and a detached one has none', () => {
  assert.deepEqual(['refs/heads/main', 'refs/heads/a/b', 'refs/tags/v1', 'main'].map(branchOf), [
    'main',
    'a/b',
    undefined,
    undefined,
  ])
})

const SHOP = { slug: 'shop', default_branch: 'main' }
const MAIN = { path: '/srv/shop', preparation: '' }

test('a checkout is `default` on the default branch in the directory of its Project, else as given or as its directory [INS-076]', () => {
  const name = (path: string, more: object = {}) =>
    registeredName(
      SHOP,
      { head: 'refs/heads/main', main: undefined, ...more },
      { sourcePath: path, given: undefined },
    )
  assert.equal(name('/srv/shop'), 'default')
  assert.equal(name('/srv/shop', { head: 'refs/heads/wip' }), 'shop')
  assert.equal(name('/srv/shop', { main: MAIN }), 'shop')
  assert.equal(name('/srv/other'), 'other')
  const given = (text: string, main?: typeof MAIN) =>
    registeredName(SHOP, { head: 'refs/heads/wip', main }, { sourcePath: '/srv/shop', given: text })
  assert.equal(given('wip'), 'wip')
  assert.equal(given('default'), 'default')
  for (const wrong of [
    () => given('default', MAIN),
    () => given('Not a name'),
    () => name('/srv/Not a name'),
  ])
    assert.throws(wrong, { code: 'instance.name_invalid' })
  assert.throws(() => given('a b'), { details: { name: 'a b' } })
})

test('what a registration alone can be refused for names its member', () => {
  const input = { source_path: '/srv/shop' }
  requireWellFormed(input)
  requireWellFormed({ ...input, root: 'apps/web', instance_name: 'wip', domain: 'wip.shop.test' })
  assert.throws(() => requireWellFormed({ ...input, root: '../web' }), { code: 'validation.failed' })
  assert.throws(() => requireWellFormed({ ...input, instance_name: 'a b' }), {
    code: 'instance.name_invalid',
    details: { name: 'a b' },
  })
  assert.throws(() => requireWellFormed({ ...input, domain: 'single' }), {
    code: 'route.domain_invalid',
    details: { domain: 'single' },
  })
})

test('a source path is absolute, without detours, and no folder above every other one', () => {
  for (const [text, path] of [
    ['/srv/shop', '/srv/shop'],
    ['/srv//shop/../wip//', '/srv/wip'],
    ['/', undefined],
    ['//', undefined],
    ['/srv/..', undefined],
    ['srv/shop', undefined],
    ['', undefined],
    ['/srv/\n', undefined],
    ['/srv/\0', undefined],
  ] as const)
    assert.equal(sourcePathOf(text), path, JSON.stringify(text))
})

test('directories overlap where one holds the other or they are the same', () => {
  for (const [one, other, isShared] of [
    ['/a', '/a', true],
    ['/a', '/a/b', true],
    ['/a/b', '/a', true],
    ['/a', '/ab', false],
    ['/ab', '/a', false],
    ['/a/b', '/a/c', false],
  ] as const)
    assert.equal(overlaps(one, other), isShared, `${one} ${other}`)
})
