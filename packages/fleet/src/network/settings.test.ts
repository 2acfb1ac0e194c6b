import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addNode, FakeClock, forEachDialect, openTestStore } from '@fleet/testing'
import { makeAllocate } from '#/network/allocate.ts'
import { endLeave, noteBack, noteLeaving } from '#/network/publish.ts'
import { findFacts } from '#/network/queries.ts'
import { configureNetwork, findSettings, requireSettings } from '#/network/settings.ts'

const settings = { range: '10.44.7.0/29', hubPort: 51_820, endpoint: null, suffix: 'fleet' }

forEachDialect(
  'settings are stored completely, also a second time, and an endpoint can be unset',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    assert.equal(await findSettings(store), undefined)
    await assert.rejects(requireSettings(store), { code: 'node.capability_missing' })
    const stored = { ...settings, endpoint: 'vpn.example.com:51820' }
    await configureNetwork(store, stored)
    assert.deepEqual(await requireSettings(store), stored)
    await configureNetwork(store, settings)
    assert.deepEqual(await findSettings(store), settings)
  },
)

test('settings that give no tunnel are refused and nothing is stored', async () => {
  await using store = await openTestStore()
  const wrong = [
    { range: '10.44.7.1/29' },
    { range: '10.44.7.0/30' },
    { range: '0.0.0.0/0' },
    { hubPort: 0 },
    { hubPort: 1.5 },
    { endpoint: 'fe80::1:51820' },
    { suffix: 'Fleet' },
    { suffix: '' },
    { suffix: 'a..b' },
  ]
  for (const part of wrong)
    await assert.rejects(configureNetwork(store, { ...settings, ...part }), {
      code: 'vpn.configuration_invalid',
    })
  assert.equal(await findSettings(store), undefined)
})

forEachDialect(
  'addresses asked for at once are all different, and each is free again when nobody took it [NODE-044]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    await configureNetwork(store, settings)
    const clock = new FakeClock()
    const allocate = makeAllocate({ store, clock, reservedRanges: ['10.44.7.4/31'] })
    await addNode(store, { wireguard_ip: '10.44.7.2' })
    const given = await Promise.all([allocate(null), allocate(null), allocate(null)])
    assert.deepEqual(given.toSorted(), ['10.44.7.1', '10.44.7.3', '10.44.7.6'])
    await assert.rejects(allocate(null), { code: 'vpn.range_exhausted' })
    // A promise is for a minute, and not for a moment longer.
    clock.advance(59_999)
    await assert.rejects(allocate(null), { code: 'vpn.range_exhausted' })
    clock.advance(1)
    assert.equal(await allocate(null), '10.44.7.1')
  },
)

test('a wanted address is given again to the identical request, until a Node has it [NODE-044]', async () => {
  await using store = await openTestStore()
  await configureNetwork(store, settings)
  const allocate = makeAllocate({ store, clock: new FakeClock(), reservedRanges: ['10.44.7.4/31'] })
  assert.equal(await allocate('10.44.7.3'), '10.44.7.3')
  assert.equal(await allocate('10.44.7.3'), '10.44.7.3')
  await addNode(store, { wireguard_ip: '10.44.7.3' })
  await assert.rejects(allocate('10.44.7.3'), { code: 'vpn.address_taken' })
  for (const wanted of ['10.44.7.0', '10.44.7.7', '10.44.7.4', '10.44.8.1', 'x'])
    await assert.rejects(allocate(wanted), { code: 'vpn.address_invalid' })
})

test('without a network nothing is allocated', async () => {
  await using store = await openTestStore()
  const allocate = makeAllocate({ store, clock: new FakeClock(), reservedRanges: [] })
  await assert.rejects(allocate(null), { code: 'node.capability_missing' })
})

forEachDialect(
  'the note of a Node that left goes with its record, or when the next one leaves after it; one that came back has none',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const [first, second] = [await addNode(store), await addNode(store)]
    await noteLeaving(store, first.id)
    await store.db.deleteFrom('nodes').where('id', '=', first.id).execute()
    await noteLeaving(store, second.id)
    assert.deepEqual([...(await findFacts(store.db, 'left.')).keys()], [String(second.id)])
    await noteBack(store, second.id)
    assert.equal(await store.transaction((db) => endLeave(db, second.id)), false)
    await noteLeaving(store, second.id)
    assert.equal(await store.transaction((db) => endLeave(db, second.id)), true)
    assert.equal((await findFacts(store.db, 'left.')).size, 0)
  },
)
