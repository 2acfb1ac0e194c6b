import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { Secret, systemIds } from '@fleet/kernel'
import fc from 'fast-check'
import { AppKeyInvalid, makeCipher, newAppKey, type Place, SealBroken } from '#/index.ts'

const PLACE: Place = { table: 'environment_values', column: 'value', row: '7/APP_KEY' }
const cipher = makeCipher(newAppKey(), systemIds)

test('every value opens again at its place', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 200 })
  const places = fc.record({ table: texts, column: texts, row: texts })
  fc.assert(
    fc.property(places, texts, (place, text) => {
      assert.equal(cipher.open(place, cipher.seal(place, new Secret(text))).reveal(), text)
    }),
  )
})

test('a sealed text holds nothing of its value and never repeats [ENV-003]', () => {
  const value = new Secret('canary-value')
  const [first, second] = [cipher.seal(PLACE, value), cipher.seal(PLACE, value)]
  assert.match(first, /^v1:[A-Za-z0-9+/]+=*$/)
  assert.notEqual(first, second)
  for (const text of [first, Buffer.from(first.slice(3), 'base64').toString('latin1')]) {
    assert.equal(text.includes('canary'), false)
  }
})

for (const change of [{ table: 'facts' }, { column: 'key' }, { row: '8/APP_KEY' }]) {
  test(`a value moved to another ${Object.keys(change).join()} does not open`, () => {
    const sealed = cipher.seal(PLACE, new Secret('canary-value'))
    assert.throws(() => cipher.open({ ...PLACE, ...change }, sealed), SealBroken)
  })
}

test('parts of a place cannot be shifted into each other', () => {
  const sealed = cipher.seal({ table: 'a', column: 'b', row: 'c' }, new Secret('x'))
  assert.throws(() => cipher.open({ table: 'a', column: 'b","c', row: '' }, sealed), SealBroken)
  assert.throws(() => cipher.open({ table: 'ab', column: '', row: 'c' }, sealed), SealBroken)
})

test('a text altered at any place does not open', () => {
  const sealed = cipher.seal(PLACE, new Secret('canary-value'))
  const bytes = Buffer.from(sealed.slice(3), 'base64')
  for (const [index, byte] of bytes.entries()) {
    const altered = Buffer.from(bytes)
    altered.writeUInt8(byte ^ 1, index)
    assert.throws(() => cipher.open(PLACE, `v1:${altered.toString('base64')}`), SealBroken)
  }
})

for (const text of ['', 'v1:', 'v1:AAAA', 'v2:AAAA', 'plain text', 'v1:%%%%']) {
  test(`${JSON.stringify(text)} is not a sealed text`, () => {
    assert.throws(() => cipher.open(PLACE, text), SealBroken)
  })
}

test('another key does not open it, and the error shows the place but no value', () => {
  const sealed = cipher.seal(PLACE, new Secret('canary-value'))
  assert.throws(
    () => makeCipher(newAppKey(), systemIds).open(PLACE, sealed),
    (error: unknown) => {
      assert.ok(error instanceof SealBroken)
      assert.match(error.message, /environment_values\.value of row 7\/APP_KEY/)
      assert.equal(inspect(error, { depth: 9 }).includes(sealed), false)
      return true
    },
  )
})

test('a key of the wrong form is refused without being shown', () => {
  for (const text of ['', 'canary', 'base64:canary', `base64:${Buffer.alloc(31).toString('base64')}`]) {
    assert.throws(
      () => makeCipher(new Secret(text), systemIds),
      (error: unknown) => error instanceof AppKeyInvalid && !error.message.includes('canary'),
    )
  }
})
