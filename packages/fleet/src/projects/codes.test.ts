import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codeCandidates, freeCode, isCode } from '#/projects/codes.ts'

test('a code comes from initials, then from letters in order, then from the first letter [PRJ-003, PRJ-053]', () => {
  const first = (slug: string): string | undefined => freeCode(slug, new Set())
  assert.equal(first('my-web-shop'), 'MWS')
  assert.equal(first('shop'), 'SHO')
  assert.equal(first('web_shop'), 'WEB')
  assert.equal(first('go'), 'GAA')
  assert.equal(first('7z'), 'ZAA')
  assert.equal(freeCode('shop', new Set(['SHO', 'SHP'])), 'SOP')
})

test('a slug without letters, or with all its codes taken, has none [PRJ-053]', () => {
  assert.equal(freeCode('42', new Set()), undefined)
  assert.equal(freeCode('go', new Set(codeCandidates('go'))), undefined)
})

test('candidates are codes and always the same [PRJ-003]', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,63}$/), (slug) => {
      const candidates = [...codeCandidates(slug)]
      assert.ok(candidates.every(isCode))
      assert.deepEqual([...codeCandidates(slug)], candidates)
      assert.equal(candidates.length > 0, /[a-z]/i.test(slug))
    }),
  )
})

test('a code is three capital letters [PRJ-053]', () => {
  assert.ok(isCode('ABC'))
  for (const text of ['abc', 'AB', 'ABCD', 'AB1', 'ÄBC', 'ABC\n']) assert.ok(!isCode(text), text)
})
