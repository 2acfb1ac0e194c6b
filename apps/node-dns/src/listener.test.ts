import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Resolver } from 'node:dns/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { catalogText } from '@fleet/dns'
import { eventually, FakeClock } from '@fleet/testing'
import packet from 'dns-packet'
import { addressesOf, CATALOG, MEMBER, NEIGHBOUR, startWorld, STRANGER, type World } from './world.test.ts'

const resolverFrom = (world: World, address: string): Resolver => {
  const resolver = new Resolver({ tries: 1 })
  resolver.setServers([`127.0.0.1:${world.port}`])
  resolver.setLocalAddress(address)
  return resolver
}

test('each requester hears its own answer, a stranger the common one [RTX-102, RTX-112]', async () => {
  await using world = await startWorld()
  const heard = [MEMBER, NEIGHBOUR, STRANGER].map((from) => resolverFrom(world, from).resolve4('shop.berlin'))
  assert.deepEqual(await Promise.all(heard), [['192.168.7.4'], ['10.44.0.4'], ['10.44.0.4']])
})

test('a private answer may be kept for 30 s [RTX-106]', async () => {
  await using world = await startWorld()
  const records = await resolverFrom(world, MEMBER).resolve4('gateway.fleet', { ttl: true })
  assert.deepEqual(records, [{ address: '10.44.0.1', ttl: 30 }])
})

test('a name that is not in the catalog is asked for outside [RTX-102, RTX-111]', async () => {
  await using world = await startWorld()
  assert.deepEqual(await resolverFrom(world, MEMBER).resolve4('metrics.fleet'), ['203.0.113.7'])
  assert.deepEqual(
    world.forwarded.map(({ questions }) => questions?.[0]?.name),
    ['metrics.fleet'],
  )
})

test('a changed catalog counts for the next question, also when it is changed in place [RTX-106]', async () => {
  await using world = await startWorld()
  for (const last of [7, 8, 9]) {
    writeFileSync(
      world.catalogPath,
      catalogText({ ...CATALOG, records: { 'gateway.fleet': `10.44.0.${last}` } }),
    )
    assert.deepEqual(addressesOf(await world.ask('gateway.fleet')), [`10.44.0.${last}`])
  }
})

const loadedOf = ({ catalogPath }: World): string => readFileSync(`${catalogPath}.loaded`, 'utf8')
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

test('what is loaded is confirmed by its SHA-256, without any question [RTX-105, RTX-106]', async () => {
  await using world = await startWorld()
  assert.equal(loadedOf(world), digest(catalogText(CATALOG)))
  const next = { ...CATALOG, records: {} }
  world.publish(next)
  await eventually(() => loadedOf(world) === digest(catalogText(next)))
})

test('a catalog that is not whole is not confirmed, and the earlier one holds, also over a restart [RTX-105]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-node-dns-'))
  const broken = catalogText(CATALOG).slice(0, -9)
  {
    await using world = await startWorld({ folder })
    world.publish(broken)
    assert.deepEqual(addressesOf(await world.ask('gateway.fleet')), ['10.44.0.1'])
    assert.equal(loadedOf(world), digest(catalogText(CATALOG)))
  }
  {
    await using world = await startWorld({ folder, catalog: broken })
    assert.deepEqual(addressesOf(await world.ask('gateway.fleet')), ['10.44.0.1'])
    assert.equal(loadedOf(world), digest(catalogText(CATALOG)))
    world.publish(CATALOG)
    assert.deepEqual(addressesOf(await world.ask('a.berlin')), ['192.168.7.4'])
  }
  rmSync(folder, { recursive: true })
})

test('without any catalog everything is asked for outside', async () => {
  await using world = await startWorld({ catalog: 'not yet' })
  assert.deepEqual(addressesOf(await world.ask('gateway.fleet')), ['203.0.113.7'])
})

test('a stop finishes the questions in progress [RTX-106]', async () => {
  const held: (() => void)[] = []
  await using world = await startWorld({
    outside: (query, send) =>
      void held.push(() => send(packet.encode({ ...query, type: 'response', flags: 3 }))),
  })
  const asked = world.ask('elsewhere.example')
  await eventually(() => held.length === 1)
  const stopped = world.listener.stop()
  for (const answer of held) answer()
  assert.equal((await asked).questions?.[0]?.name, 'elsewhere.example')
  await stopped
})

test('a stop waits at most 5 s for the servers outside [RTX-106]', async () => {
  const clock = new FakeClock()
  await using world = await startWorld({ clock, outside: () => undefined })
  void world.ask('elsewhere.example').catch(() => undefined)
  await eventually(() => world.forwarded.length === 1)
  let isStopped = false
  const stopped = world.listener.stop().then(() => (isStopped = true))
  clock.advance(4900)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isStopped, false)
  clock.advance(200)
  await stopped
})
