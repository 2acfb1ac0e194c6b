import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { freeAddresses, isUsable } from '#/network/addresses/choose.ts'
import { type AddressRange, formatAddress, parseAddress, parseRange } from '#/network/addresses/range.ts'

const range = (text: string): AddressRange => {
  const parsed = parseRange(text)
  assert.ok(parsed, text)
  return parsed
}

test('every address is read back as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (address) =>
      assert.equal(parseAddress(formatAddress(address)), address),
    ),
  )
})

test('what is no plain IPv4 address is none', () => {
  for (const text of [
    '',
    '10.44.0',
    '10.44.0.1.2',
    '10.44.0.256',
    '10.44.0.01',
    '10.44.0.-1',
    ' 10.44.0.1',
    '::1',
  ])
    assert.equal(parseAddress(text), undefined, text)
})

test('a range names its first address', () => {
  assert.deepEqual(range('10.44.0.0/16'), { first: 170_655_744, last: 170_721_279, prefix: 16 })
  for (const text of ['10.44.0.1/16', '10.44.0.0', '10.44.0.0/33', '10.44.0.0/', '10.44.0.0/16/1', 'x/16'])
    assert.equal(parseRange(text), undefined, text)
})

const space = { range: range('10.44.0.0/16'), reserved: [range('10.44.0.128/25')] }

test('addresses are given from the lowest on, and those of task VMs never [NODE-044]', () => {
  const taken = new Set(Array.from({ length: 126 }, (_, index) => `10.44.0.${index + 1}`))
  const free = freeAddresses(space, taken)
  assert.deepEqual(
    [free.next().value, free.next().value, free.next().value],
    ['10.44.0.127', '10.44.1.0', '10.44.1.1'],
  )
})

test('a range that is all taken gives nothing', () => {
  const small = { range: range('10.44.7.0/30'), reserved: [] }
  assert.deepEqual([...freeAddresses(small, new Set(['10.44.7.1']))], ['10.44.7.2'])
  assert.deepEqual([...freeAddresses(small, new Set(['10.44.7.1', '10.44.7.2']))], [])
})

test('a wanted address is a host of the range outside of reserved parts', () => {
  for (const text of ['10.44.0.1', '10.44.0.127', '10.44.255.254']) assert.ok(isUsable(space, text), text)
  for (const text of [
    '10.44.0.0',
    '10.44.255.255',
    '10.44.0.128',
    '10.44.0.255',
    '10.45.0.1',
    '10.44.0.01',
    'x',
  ])
    assert.equal(isUsable(space, text), false, text)
})
