import assert from 'node:assert/strict'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { script } from '@fleet/shell'
import { addCluster, addRole, fakeCall } from '@fleet/testing'
import { dnsQuestion } from '#/dns/checks/make.ts'
import { DNS_UNITS } from '#/dns/service/release.ts'
import { DIRECTORY, startWorld, type World } from '#/dns/world.test.ts'

const CATALOG = `${DIRECTORY}/catalog.json`

/** A fleet whose hub answers for it. */
async function startAnswering() {
  const world = await startWorld()
  const hub = await world.enter('10.44.0.1', { name: 'hub', roles: ['vpn', 'gateway'] })
  const session = async () => {
    const node = await world.nodes.find(hub.id)
    assert.ok(node)
    return world.nodes.sessions.overTunnel(fakeCall(), node)
  }
  await world.dns.ensure(await session())
  return Object.assign(world, { hub, session })
}

const publish = ({ dns }: World): Promise<void> => dns.names.publish(fakeCall())

test('names of the records stand on the hub, and what stands costs one round trip [RTX-104, RTX-105, GW-001]', async () => {
  await using world = await startAnswering()
  const { hub, pool } = world
  assert.deepEqual(world.catalog(), {
    requesters: { '10.44.0.1': hub.id },
    records: { 'gateway.fleet': '10.44.0.1', 'hub.fleet': '10.44.0.1' },
    suffixes: {},
    overrides: {},
  })
  assert.equal(statSync(world.at(CATALOG)).mode & 0o777, 0o644)
  const before = pool.executed.length
  await publish(world)
  assert.equal(pool.executed.length, before + 1)
  const node = await world.enter('10.44.0.2', { tld: 'own', roles: ['app-dev'] })
  await publish(world)
  assert.equal(pool.executed.length, before + 2)
  assert.deepEqual(world.catalog().suffixes, { own: '10.44.0.2' })
  assert.equal(world.catalog().requesters['10.44.0.2'], node.id)
})

test('a catalog that is not loaded within 5 s is confirmed by a restart [RTX-105]', async () => {
  await using world = await startAnswering()
  world.loads = 'after a restart'
  const restarts = (): number => world.ran().filter((line) => line.startsWith('restart fleet-private')).length
  const before = restarts()
  world.routes.push({ domain: 'one.example', nodeId: world.hub.id })
  await publish(world)
  assert.equal(restarts(), before + 1)
  assert.equal(world.catalog().records['one.example'], '10.44.0.1')
})

test('a catalog that nobody loads gives way to the one before it, and nothing is confirmed [RTX-105]', async () => {
  await using world = await startAnswering()
  const before = world.read(CATALOG)
  world.loads = 'never'
  world.routes.push({ domain: 'one.example', nodeId: world.hub.id })
  await assert.rejects(publish(world), {
    code: 'dns.unconfirmed',
    details: { node: { id: world.hub.id, name: 'hub' }, reason: 'unconfirmed' },
  })
  assert.equal(world.read(CATALOG), before)
  assert.equal(world.read(`${CATALOG}.loaded`), undefined)
  world.loads = 'at once'
  await publish(world)
  assert.equal(world.catalog().records['one.example'], '10.44.0.1')
})

test('a service that was stopped is started by the next publication', async () => {
  await using world = await startAnswering()
  await world.pool.run(
    { nodeId: 1, host: '', port: 22, user: 'root', fingerprint: '' },
    { line: 'systemctl stop fleet-private-dns.service', shown: 'stop' },
    { timeoutMilliseconds: 10_000 },
  )
  await publish(world)
  assert.ok(world.ran().some((line) => line.startsWith('start fleet-dnsmasq.service')))
})

test('Doctor reads whether every unit of the service starts at boot [DRF-030]', async () => {
  await using world = await startAnswering()
  const { source, args = [], read } = dnsQuestion(world.at(''))
  const boots = async () => {
    const { stdout } = await (await world.session()).asRoot(script(source, ...args))
    return read({ exitCode: 0, text: stdout.toString().trimEnd() })?.boots
  }
  assert.equal(await boots(), true)
  for (const unit of DNS_UNITS) {
    world.systemd.disable(unit)
    assert.equal(await boots(), false, unit)
    await world.dns.ensure(await world.session())
    assert.equal(await boots(), true)
  }
})

test('Doctor reads whom the backend asks and whom the machine asks by now, and a converge makes them the same [RTX-107]', async () => {
  await using world = await startAnswering()
  const { source, args = [], read } = dnsQuestion(world.at(''))
  const view = async () => {
    const { stdout } = await (await world.session()).asRoot(script(source, ...args))
    return read({ exitCode: 0, text: stdout.toString().trimEnd() })
  }
  mkdirSync(world.at('run/systemd/resolve'), { recursive: true })
  for (const server of ['192.0.2.1', '192.0.2.2']) {
    const resolved = `nameserver ${server}\n`
    writeFileSync(world.at('run/systemd/resolve/resolv.conf'), resolved)
    const before = await view()
    assert.deepEqual([before?.machine.resolved, before?.servers.includes(server)], [resolved, false])
    await world.dns.ensure(await world.session())
    assert.deepEqual((await view())?.servers, [server])
  }
})

test('one publication runs at a time; another waits for the rest of its time at most, then says who is at work [RTE-185]', async () => {
  await using world = await startAnswering()
  const lock = { name: 'dnsmasq-projections', operation: 'route:create', requestId: 'r', leaseSeconds: 60 }
  await using _held = await world.store.locks.acquire({ ...lock, waitMilliseconds: 0 })
  const { Deadline, systemClock } = await import('@fleet/kernel')
  const call = fakeCall({ deadline: new Deadline(systemClock, 20, 20) })
  await assert.rejects(world.dns.names.publish(call), { code: 'app-dev.projection_busy', status: 409 })
})

test('a publication that waited for another one publishes Routes, their targets, Cluster and Router as they are when its turn comes [RTE-184]', async () => {
  await using world = await startAnswering()
  const [router, member] = [await world.enter('10.44.0.2'), await world.enter('10.44.0.3')]
  const { id } = await addCluster(world.store, { tld: 'berlin', state: 'inactive' }, [router, member])
  world.routes.push({ domain: 'moved.example', instanceNodeId: member.id, nodeId: member.id })
  const lock = { name: 'dnsmasq-projections', operation: 'route:create', requestId: 'r', leaseSeconds: 60 }
  const held = await world.store.locks.acquire({ ...lock, waitMilliseconds: 0 })
  const waiting = publish(world)
  for (let round = 0; round < 20; round += 1) {
    await world.store.locks.holderOf('nothing')
    await nextTurn()
  }
  world.routes.push({ domain: 'late.example', nodeId: world.hub.id })
  world.routes[0] = { domain: 'moved.example', instanceNodeId: router.id, clusterId: id }
  await world.store.db.updateTable('clusters').set({ state: 'active' }).where('id', '=', id).execute()
  await addRole(world.store, { node_id: router.id, role: 'router' })
  await held[Symbol.asyncDispose]()
  await waiting
  const { records, suffixes } = world.catalog()
  assert.deepEqual([records['late.example'], records['moved.example']], ['10.44.0.1', '10.44.0.2'])
  assert.deepEqual(suffixes, { berlin: '10.44.0.2' })
})

test('a Node that leaves takes its names along, and their number is reported', async () => {
  await using world = await startAnswering()
  const row = await world.enter('10.44.0.2', { tld: 'own', roles: ['app-dev', 'websocket'] })
  const node = await world.nodes.find(row.id)
  assert.ok(node)
  world.routes.push(
    { domain: 'one.example', nodeId: row.id },
    { domain: 'two.example', nodeId: world.hub.id },
  )
  await publish(world)
  assert.equal(await world.dns.names.publishWithout(fakeCall(), node), 4)
  assert.deepEqual(Object.keys(world.catalog().records), ['gateway.fleet', 'hub.fleet', 'two.example'])
  // It has left the network by now, so that no other publication names it again.
  world.leaving.add(row.id)
  await publish(world)
  assert.deepEqual(world.catalog().suffixes, {})
  assert.equal(await world.dns.names.publishWithout(fakeCall(), node), 4)
})

test('a Cluster is published as it is going to be before its record says so [CLU-016]', async () => {
  await using world = await startAnswering()
  const router = await world.enter('10.44.0.2', { lan_ip: '192.168.7.2' })
  const member = await world.enter('10.44.0.3', { lan_ip: '192.168.7.3' })
  const former = await world.enter('10.44.0.4', { lan_ip: '192.168.7.4' })
  await addRole(world.store, { node_id: router.id, role: 'router' })
  const cluster = await addCluster(world.store, {}, [router, former])
  const as = (id: number) => ({
    id,
    name: '',
    status: 'active' as const,
    tld: null,
    cluster_id: cluster.id,
    wireguard_ip: null,
    lan_ip: null,
    routerStatus: null,
    hasIngress: false,
  })
  const members = [as(router.id), as(member.id)]
  await world.dns.publishAs(fakeCall(), { ...cluster, state: 'active', tld: 'berlin', members })
  assert.deepEqual(world.catalog().suffixes, { berlin: '10.44.0.2' })
  assert.deepEqual(Object.keys(world.catalog().overrides), [`node:${router.id}`, `node:${member.id}`])
  await publish(world)
  assert.deepEqual(world.catalog().suffixes, {})
})

test('without a private network, or without a hub, there is nothing to publish', async () => {
  await using bare = await startWorld({ isConfigured: false })
  await bare.enter('10.44.0.1', { roles: ['vpn'] })
  await publish(bare)
  await using hubless = await startWorld()
  await hubless.enter('10.44.0.1', { roles: ['app-dev'] })
  await publish(hubless)
  assert.deepEqual([bare.pool.commands, hubless.pool.commands], [[], []])
})

test('a hub without the listener is refused, but for one that is being made', async () => {
  await using world = await startWorld()
  const hub = await world.enter('10.44.0.1', { roles: ['vpn'] })
  await assert.rejects(publish(world), { code: 'dns.not_installed', status: 409 })
  const roles = world.store.db.updateTable('node_roles').where('node_id', '=', hub.id)
  await roles.set({ status: 'provisioning' }).execute()
  await publish(world)
})
