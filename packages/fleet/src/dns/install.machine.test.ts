import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { DIRECTORY, LISTENER, startWorld, UNITS, type World } from '#/dns/world.test.ts'
import type { NodeSession } from '#/nodes/api.ts'

const NEXT = { program: '#!/bin/sh\n# the next one\nexit 0\n' }

async function startHub(): Promise<World & { readonly session: NodeSession }> {
  const world = await startWorld()
  const hub = await world.enter('10.44.0.1', { name: 'hub', roles: ['vpn', 'gateway'] })
  const node = await world.nodes.find(hub.id)
  assert.ok(node)
  return Object.assign(world, { session: world.nodes.sessions.overTunnel(fakeCall(), node) })
}

const releases = ({ at }: World): readonly string[] => readdirSync(at(`${DIRECTORY}/releases`)).toSorted()
const served = ({ read }: World): string | undefined =>
  /releases\/([0-9a-f]{16})\/fleet node-dns serve/.exec(read(LISTENER) ?? '')?.[1]

test('a blank hub gets units, a release and its names; what stands costs two round trips [RTX-103]', async () => {
  await using world = await startHub()
  await world.dns.ensure(world.session)
  const id = served(world)
  assert.deepEqual(releases(world), [id])
  assert.deepEqual(readdirSync(world.at(`${DIRECTORY}/releases/${id}`)).toSorted(), [
    '.manifest',
    '.seal',
    'dnsmasq.conf',
    'fleet',
    'fleet-dnsmasq.service',
    'fleet-private-dns.service',
    'fleet-private-dns.socket',
  ])
  const before = [world.pool.executed.length, world.ran().length]
  await world.dns.ensure(world.session)
  assert.deepEqual([world.pool.executed.length, world.ran().length], [(before[0] ?? 0) + 2, before[1]])
})

test('the release before the one that serves is kept, and no other [RTX-103]', async () => {
  await using world = await startHub()
  await world.dns.ensure(world.session)
  const ids = [served(world)]
  for (const mark of ['a', 'b']) {
    world.giveExecutable({ program: `#!/bin/sh\n# ${mark}\nexit 0\n` })
    await world.dns.ensure(world.session)
    ids.push(served(world))
  }
  assert.equal(new Set(ids).size, 3)
  assert.deepEqual(new Set(releases(world)), new Set(ids.slice(1)))
})

test('a listener that fails its self test never serves [RTX-103]', async () => {
  await using world = await startHub()
  await world.dns.ensure(world.session)
  const before = [served(world), releases(world), world.ran().length]
  world.giveExecutable({ program: '#!/bin/sh\n[ "$1" = --version ]\n' })
  await assert.rejects(world.dns.ensure(world.session), { code: 'dns.self_test_failed' })
  assert.deepEqual([served(world), releases(world), world.ran().length], before)
})

test('a start that fails brings units and services back [RTX-114]', async () => {
  await using world = await startHub()
  await world.dns.ensure(world.session)
  const names = ['fleet-dnsmasq.service', 'fleet-private-dns.socket', 'fleet-private-dns.service']
  const units = (): ReadonlyArray<string | undefined> => names.map((name) => world.read(`${UNITS}/${name}`))
  const before = units()
  world.giveExecutable(NEXT)
  const previous = served(world)
  world.systemd.break('fleet-private-dns.service', {
    unless: `releases/${previous}/`,
    message: 'cannot listen',
  })
  await assert.rejects(world.dns.ensure(world.session), {
    code: 'dns.start_failed',
    details: {
      node: { id: world.session.node.id, name: 'hub' },
      unit: 'fleet-private-dns.service',
      state: 'failed (exit-code, status 1)',
      journal: ['cannot listen'],
    },
  })
  assert.deepEqual(units(), before)
  assert.equal(served(world), previous)
  assert.ok(world.systemd.isActive('fleet-private-dns.service'))
  world.systemd.clearFaults()
  await world.dns.ensure(world.session)
  assert.notDeepEqual(units(), before)
})

test('a first start that fails leaves no unit behind [RTX-114]', async () => {
  await using world = await startHub()
  world.systemd.break('fleet-private-dns.service')
  await assert.rejects(world.dns.ensure(world.session), { code: 'dns.start_failed' })
  assert.deepEqual(readdirSync(world.at(UNITS)), [])
  world.systemd.clearFaults()
  await world.dns.ensure(world.session)
  assert.ok(served(world))
})

test('a release that was tampered with, a unit that was changed and a stopped service are put right', async () => {
  await using world = await startHub()
  await world.dns.ensure(world.session)
  const inside = `${DIRECTORY}/releases/${served(world)}`
  const unit = world.read(LISTENER)
  const harms = [
    () => writeFileSync(world.at(`${inside}/dnsmasq.conf`), 'server=192.0.2.66\n'),
    () => writeFileSync(world.at(LISTENER), `${unit}# more\n`),
    () => world.systemd.kill('fleet-dnsmasq.service'),
    () => rmSync(world.at(inside), { recursive: true }),
  ]
  const good = world.read(`${inside}/dnsmasq.conf`)
  for (const harm of harms) {
    harm()
    await world.dns.ensure(world.session)
    assert.deepEqual([world.read(`${inside}/dnsmasq.conf`), world.read(LISTENER)], [good, unit])
    assert.ok(world.systemd.isActive('fleet-dnsmasq.service'))
  }
})

test('a machine without dnsmasq is refused before anything is written', async () => {
  await using world = await startHub()
  rmSync(world.at('fake/dnsmasq'))
  await assert.rejects(world.dns.ensure(world.session), { code: 'dns.package_missing' })
  assert.equal(served(world), undefined)
})

test('the footprint has it for the vpn Node alone, and applies it when the executable differs [NODE-120, NODE-121]', async () => {
  await using world = await startHub()
  const { artifact } = world.dns
  const other = await world.enter('10.44.0.2', { roles: ['app-dev'], architecture: 'x86_64' })
  const node = await world.nodes.find(other.id)
  assert.ok(node)
  assert.equal(await artifact.digest(node), undefined)
  const hub = { ...world.session.node, architecture: process.arch === 'x64' ? 'x86_64' : 'aarch64' }
  const first = await artifact.digest(hub)
  assert.match(first ?? '', /^[0-9a-f]{64}$/)
  assert.equal(await artifact.converge(world.session, { force: false }), 'applied')
  assert.notDeepEqual(world.catalog().records, {}, 'its names are published with it')
  assert.equal(await artifact.converge(world.session, { force: false }), 'unchanged')
  assert.equal(await artifact.converge(world.session, { force: true }), 'applied')
  world.giveExecutable(NEXT)
  assert.notEqual(await artifact.digest(hub), first)
})

test('it goes without a trace, however often it is requested', async () => {
  await using world = await startHub()
  await world.dns.ensure(world.session)
  for (const _ of [1, 2]) await world.dns.remove(world.session)
  assert.deepEqual(readdirSync(world.at(UNITS)), [])
  assert.equal(world.read(`${DIRECTORY}/catalog.json`), undefined)
})
