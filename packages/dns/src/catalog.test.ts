import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Catalog, catalogText, makeLookup, parseCatalog } from './index.ts'

const catalog: Catalog = {
  requesters: { '10.44.0.2': 2, '10.44.0.3': 3 },
  records: { 'gateway.fleet': '10.44.0.1', 'shop.berlin': '10.44.0.9' },
  suffixes: { berlin: '10.44.0.4', 'deep.berlin': '10.44.0.5' },
  overrides: {
    'node:2': { records: {}, suffixes: { berlin: '192.168.7.4' } },
    'node:3': { records: { 'shop.berlin': '192.168.7.9', 'stray.example': '192.168.7.1' }, suffixes: {} },
  },
}

test('a catalog has one text, whatever the order of its parts, and reads back as it was [RTX-104]', () => {
  const { overrides, suffixes, records, requesters } = catalog
  const { 'node:2': second, 'node:3': third } = overrides
  assert.ok(second && third)
  const other = { overrides: { 'node:3': third, 'node:2': second }, suffixes, records, requesters }
  assert.equal(catalogText(other), catalogText(catalog))
  assert.deepEqual(parseCatalog(catalogText(catalog)), catalog)
})

test('what is not a whole catalog is refused', () => {
  const wrong: readonly unknown[] = [
    {},
    { ...catalog, more: {} },
    { ...catalog, records: { 'gateway.fleet': 'fe80::1' } },
    { ...catalog, records: { 'Gateway.fleet': '10.44.0.1' } },
    { ...catalog, records: { 'gateway.fleet.': '10.44.0.1' } },
    { ...catalog, records: { '': '10.44.0.1' } },
    { ...catalog, requesters: { 'web-1': 1 } },
    { ...catalog, requesters: { '10.44.0.2': '2' } },
    { ...catalog, overrides: { '2': { records: {}, suffixes: {} } } },
  ]
  for (const value of wrong) assert.throws(() => parseCatalog(JSON.stringify(value)), JSON.stringify(value))
  assert.throws(() => parseCatalog(catalogText(catalog).slice(0, -3)))
})

const lookup = makeLookup(catalog)
const addressOf = (requester: string, name: string): string | undefined => lookup(requester, name)?.address

test('an exact record beats a suffix, a longer suffix a shorter one [RTX-108]', () => {
  assert.deepEqual(lookup('10.44.0.7', 'shop.berlin'), { address: '10.44.0.9', owner: 'shop.berlin' })
  assert.deepEqual(lookup('10.44.0.7', 'a.deep.berlin'), { address: '10.44.0.5', owner: 'deep.berlin' })
  assert.deepEqual(lookup('10.44.0.7', 'a.b.berlin'), { address: '10.44.0.4', owner: 'berlin' })
  assert.deepEqual(lookup('10.44.0.7', 'berlin'), { address: '10.44.0.4', owner: 'berlin' })
})

test('a record covers nothing below it, a suffix nothing beside it', () => {
  for (const name of [
    'a.gateway.fleet',
    'fleet',
    'xberlin',
    'berlin.example',
    'constructor',
    '',
    'stray.example',
  ])
    assert.equal(addressOf('10.44.0.7', name), undefined, name)
})

test('a requester hears its own answer, anybody else the common one [RTX-112]', () => {
  assert.equal(addressOf('10.44.0.2', 'a.berlin'), '192.168.7.4')
  assert.equal(addressOf('10.44.0.3', 'a.berlin'), '10.44.0.4')
  assert.equal(addressOf('10.44.0.3', 'shop.berlin'), '192.168.7.9')
  assert.equal(addressOf('10.44.0.2', 'shop.berlin'), '10.44.0.9')
  assert.equal(addressOf('192.168.7.4', 'a.berlin'), '10.44.0.4')
})

test('an override adds no name [RTX-112]', () => {
  assert.equal(addressOf('10.44.0.3', 'stray.example'), undefined)
})
