import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { PROPERTY_LIMITS, storedProperties } from '#/activities/properties.ts'

const stored = (given: Record<string, unknown>): unknown => storedProperties(new Map(Object.entries(given)))

test('secret texts are redacted, their look-alikes and other types stay [ACT-013, ACT-014]', () => {
  const given = {
    api_token: 'abc',
    password: 'abc',
    nested: { pem: 'abc', public_key: 'ssh-ed25519 AAAA' },
    key: 7,
    secret: null,
    bearer: true,
    env: { DB_PASSWORD: 'abc', APP_NAME: 'Shop' },
    text: 'see https://user:hunter2@example.com',
  }
  assert.deepEqual(stored(given), {
    api_token: '[REDACTED]',
    password: '[REDACTED]',
    nested: { pem: '[REDACTED]', public_key: 'ssh-ed25519 AAAA' },
    key: 7,
    secret: null,
    bearer: true,
    env: ['DB_PASSWORD', 'APP_NAME'],
    text: 'see https://user:[REDACTED]@example.com',
  })
})

test('a long text is cut where one can see it [ACT-012]', () => {
  assert.deepEqual(stored({ note: 'a'.repeat(501) }), { note: `${'a'.repeat(500)}… [cut]` })
  assert.deepEqual(stored({ note: 'a'.repeat(500) }), { note: 'a'.repeat(500) })
})

test('what goes beyond the bound is left out by name, what fits stays [ACT-012]', () => {
  const many = Array.from({ length: 2000 }, (_, index) => index)
  assert.deepEqual(stored({ first: 1, many, last: 2 }), { first: 1, last: 2, cut: ['many'] })
})

test('whatever is noted, what is stored is an object whose JSON is bounded [ACT-012]', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
      const text = JSON.stringify(storedProperties(new Map(Object.entries(given))))
      // Ten names of at most 100 characters may follow what fits.
      assert.ok(Buffer.byteLength(text) <= PROPERTY_LIMITS.totalMaxBytes + 8 * 1024)
      assert.equal(typeof JSON.parse(text), 'object')
    }),
  )
})
