import assert from 'node:assert/strict'
import { mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import type { Store } from '@fleet/store'
import {
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  fakeExecutables,
  testDomains,
} from '@fleet/testing'
import { startWorld, type World } from '#/hibernation/world.test.ts'

const HOUR = 3600

const desired = async ({ fleet }: World): Promise<readonly string[]> =>
  (await fleet.store.db.selectFrom('processes').select('desired_state').orderBy('id').execute()).map(
    ({ desired_state }) => desired_state,
  )

async function processCodes({ fleet }: World): Promise<readonly string[]> {
  const { data } = await fleet.domains.doctor.handlers['doctor:run']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { node_id: fleet.node.id, families: ['process'] },
  })
  return data.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

test('an idle Instance is put to sleep: its Processes stop, what is desired of them stays, the marker goes, and no event is sent [HIB-009, HIB-011, HIB-019]', async () => {
  await using world = await startWorld()
  const process = await world.process()
  const { host } = world.fleet
  assert.equal(statSync(host.at(world.markers.awake)).mode & 0o777, 0o644)
  assert.equal(statSync(host.at('dev/shm/fleet/hibernation')).mode & 0o777, 0o755)
  await world.sweep()
  assert.equal(world.isActive(process), true)
  world.age(world.markers.awake, HOUR + 5)
  const [before] = await world.fleet.store.db.selectFrom('instances').selectAll().execute()
  const [halt] = await world.sweep()
  assert.equal(world.isActive(process), false)
  assert.deepEqual(await desired(world), ['running'])
  assert.equal(host.read(world.markers.awake), undefined)
  // The time of the last use outlives its marker.
  const age = Date.now() / 1000 - statSync(host.at(world.markers.slept)).mtimeMs / 1000
  assert.ok(age > HOUR && age < HOUR + 60, String(age))
  assert.deepEqual(halt?.events, [])
  assert.equal(halt?.notes.subject, `instance:${world.instance.id}`)
  assert.deepEqual(await world.fleet.store.db.selectFrom('instances').selectAll().execute(), [before])
  // It sleeps: nothing more is due.
  assert.deepEqual(await world.sweep(), [])
})

test('a visit keeps an Instance awake, one that comes between the look and the stop as well', async () => {
  await using world = await startWorld()
  const process = await world.process()
  world.age(world.markers.awake, 2 * HOUR)
  world.fleet.host.write(world.markers.log, '')
  world.age(world.markers.log, HOUR - 60)
  assert.deepEqual(await world.sweep(), [])
  world.age(world.markers.log, HOUR + 60)
  const sweep = world.domain.workKinds.find(({ name }) => name === 'hibernation:sweep')
  await sweep?.run(fakeCall(), null)
  assert.deepEqual(await world.waiting(), [`instance:sleep ${world.instance.id}`])
  world.age(world.markers.log, 1)
  await world.runWork('instance:sleep')
  assert.equal(world.isActive(process), true)
})

test('only Processes of development Instances that are to run and may stop are stopped: not those of Nodes, of production, kept alive or elsewhere [HIB-006, HIB-007]', async () => {
  await using world = await startWorld()
  const { store, node } = world.fleet
  const { id: project_id } = await addProject(store)
  const production = await addInstance(store, {
    project_id,
    node_id: node.id,
    environment: 'production',
    production_user: 'root',
    production_home: '/home/shop',
  })
  const always = await world.process({ name: 'always', keep_alive: true })
  const ofNode = await world.process({ name: 'node', onNode: true })
  const sleeps = await world.process({ name: 'sleeps' })
  const again = await world.process({ name: 'again', restart_policy: 'always' })
  const idle = await world.process({ name: 'idle', start: false })
  const live = await world.process({ name: 'live', instance: production.id, start: false })
  await store.db
    .updateTable('processes')
    .set({ desired_state: 'running' })
    .where('id', '=', live.id)
    .execute()
  rmSync(world.fleet.host.at(world.markers.awake))
  const sleepy = async () => [...(await world.deps.processes.sleepy(store.db))]
  assert.deepEqual(await sleepy(), [[node.id, [world.instance.id]]])
  for (const restart_policy of ['always', 'on-failure', 'unless-stopped'] as const) {
    await store.db.updateTable('processes').set({ restart_policy }).where('id', '=', sleeps.id).execute()
    await store.db.updateTable('processes').set({ restart_policy }).where('id', '=', again.id).execute()
    assert.deepEqual(await sleepy(), [[node.id, [world.instance.id]]], restart_policy)
  }
  await world.sweep()
  assert.deepEqual(
    [always, ofNode, sleeps, again, idle].map((process) => world.isActive(process)),
    [true, true, false, false, false],
  )
  assert.deepEqual(await desired(world), ['running', 'running', 'running', 'running', 'stopped', 'running'])
  await store.db.updateTable('node_roles').set({ role: 'app-prod' }).execute()
  assert.deepEqual(await sleepy(), [])
})

test('a Node that does not answer keeps no other from being asked', async () => {
  await using world = await startWorld()
  const { store } = world.fleet
  const silent = await addNode(store, { name: 'silent', status: 'failed' })
  const { id: project_id } = await addProject(store)
  const elsewhere = await addInstance(store, { project_id, node_id: silent.id })
  const process = await world.process()
  await store.db
    .updateTable('processes')
    .set({ instance_id: elsewhere.id })
    .where('id', '=', (await world.process({ name: 'far' })).id)
    .execute()
  world.age(world.markers.awake, 2 * HOUR)
  await world.sweep()
  assert.equal(world.isActive(process), false)
})

test('Doctor takes the stopped Processes of a sleeping Instance for no drift, and a converge leaves them; of one that is awake they are [HIB-018]', async () => {
  await using world = await startWorld()
  const process = await world.process()
  world.age(world.markers.awake, 2 * HOUR)
  await world.sweep()
  assert.deepEqual(await processCodes(world), [])
  const { artifact } = world.fleet.domains.processes
  assert.equal(await artifact.converge(world.fleet.session, { force: true }), 'applied')
  assert.equal(world.isActive(process), false)
  world.fleet.host.write(world.markers.awake, '')
  assert.deepEqual(await processCodes(world), ['process.state_mismatch'])
  await artifact.converge(world.fleet.session, { force: true })
  assert.equal(world.isActive(process), true)
})

test('a converge starts no Process of an Instance that is put to sleep while it works [HIB-018]', async () => {
  await using world = await startWorld()
  const process = await world.process()
  const { store, host, session } = world.fleet
  world.age(world.markers.awake, 2 * HOUR)
  let isSwept = false
  const acquire: Store['locks']['acquire'] = async (request) => {
    if (!isSwept) {
      isSwept = true
      await world.sweep()
    }
    return store.locks.acquire(request)
  }
  const through = { ...store, locks: { acquire, holderOf: (name: string) => store.locks.holderOf(name) } }
  const given = { store: through, ssh: host.pool, root: host.root, executables: fakeExecutables() }
  const { artifact } = testDomains(given).processes
  assert.equal(await artifact.converge(session, { force: true }), 'applied')
  assert.deepEqual([isSwept, world.isActive(process)], [true, false])
})

test('an Instance whose Processes could not be stopped is put to sleep by the next sweep, and keeps the time of its last use [HIB-009]', async () => {
  await using world = await startWorld()
  const [stuck, other] = [await world.process({ name: 'stuck' }), await world.process({ name: 'other' })]
  const { host } = world.fleet
  host.systemd.stick(`orbit-process-${stuck.id}-stuck.service`)
  world.age(world.markers.awake, 2 * HOUR)
  world.fleet.host.write(world.markers.log, '')
  world.age(world.markers.log, 3 * HOUR)
  await assert.rejects(world.sweep(), { code: 'process.runtime_failed' })
  assert.deepEqual([host.read(world.markers.awake), host.read(world.markers.slept)], [undefined, undefined])
  // What stands already is no drift, and nobody starts it.
  host.systemd.kill(`orbit-process-${other.id}-other.service`)
  assert.deepEqual(await processCodes(world), [])
  host.systemd.clearFaults()
  await world.sweep()
  assert.deepEqual([world.isActive(stuck), world.isActive(other)], [false, false])
  const age = Date.now() / 1000 - statSync(host.at(world.markers.slept)).mtimeMs / 1000
  assert.ok(age > 2 * HOUR - 5 && age < 2 * HOUR + 60, String(age))
  assert.deepEqual(await world.sweep(), [])
})

/** Puts it to sleep, and answers how a person starts a Process of it. */
async function sleepsUntil(world: World) {
  const { domains, node } = world.fleet
  world.age(world.markers.awake, 2 * HOUR)
  await world.sweep()
  const call = fakeCall({ caller: asCaller(node) })
  return (process: { readonly id: number }) =>
    domains.processes.handlers['process:start']({ call, input: { process: process.id } })
}

test('a person who starts the only Process of an Instance uses it, and one that is cold gets its dependencies as well', async () => {
  await using world = await startWorld()
  const process = await world.process()
  const { host } = world.fleet
  const start = await sleepsUntil(world)
  await start(process)
  assert.deepEqual([host.read(world.markers.awake), host.read(world.markers.slept)], ['', undefined])
  assert.deepEqual([await world.sweep(), await world.waiting()], [[], []])
  rmSync(host.at(world.markers.awake))
  host.write(world.markers.cold, '')
  await start(process)
  assert.equal(host.read(world.markers.awake), undefined)
  await world.runWork('instance:wake')
  assert.equal(world.ran.length, 1)
  assert.deepEqual([host.read(world.markers.awake), host.read(world.markers.cold)], ['', undefined])
})

test('a person who starts one of several Processes of a sleeping Instance wakes the others, and one that is awake is left as it is', async () => {
  await using world = await startWorld()
  const [web, queue] = [await world.process({ name: 'web' }), await world.process({ name: 'queue' })]
  const idle = await world.process({ name: 'idle', start: false })
  const runs = () => [web, queue, idle].map((process) => world.isActive(process))
  assert.deepEqual(await world.waiting(), [], 'the second was started while the Instance was awake')
  const start = await sleepsUntil(world)
  assert.deepEqual(runs(), [false, false, false])
  await start(queue)
  const { host } = world.fleet
  assert.deepEqual(runs(), [false, true, false])
  assert.equal(host.read(world.markers.awake), undefined, 'its visitors still wake it')
  assert.deepEqual(await world.waiting(), [`instance:wake ${world.instance.id}`])
  assert.equal((await world.wake()).state, 'pending')
  assert.deepEqual(await world.waiting(), [`instance:wake ${world.instance.id}`], 'there is one wake')
  await world.runWork('instance:wake')
  assert.deepEqual(runs(), [true, true, false])
  assert.deepEqual(await world.wake(), { state: 'awake' })
  assert.deepEqual([host.read(world.markers.slept), host.read(world.markers.started)], [undefined, undefined])
  world.age(world.markers.awake, HOUR)
  await start(web)
  assert.deepEqual([await world.waiting(), await world.sweep()], [[], []], 'that was another use')
})

test('a Process that a person started keeps running while the rest of its Instance cannot be woken, for as long as after a visit', async () => {
  await using world = await startWorld({ wakeSeconds: 1 })
  const [web, queue] = [await world.process({ name: 'web' }), await world.process({ name: 'queue' })]
  const start = await sleepsUntil(world)
  const { host } = world.fleet
  host.systemd.loop(`orbit-process-${web.id}-web.service`)
  await start(queue)
  await assert.rejects(world.runWork('instance:wake'), { code: 'instance.wake_failed' })
  const page = await world.wake()
  assert.equal(page.state === 'failed' && page.code, 'instance.wake_failed')
  assert.deepEqual([await world.sweep(), await processCodes(world)], [[], ['process.crash_loop']])
  assert.equal(world.isActive(queue), true)
  world.age(world.markers.started, HOUR + 5)
  host.systemd.clearFaults()
  await world.sweep()
  assert.deepEqual([world.isActive(web), world.isActive(queue)], [false, false])
  assert.equal(host.read(world.markers.started), undefined)
  const age = Date.now() / 1000 - statSync(host.at(world.markers.slept)).mtimeMs / 1000
  assert.ok(age > HOUR && age < HOUR + 60, String(age))
})

test('the markers go with the Processes of an Instance that is removed', async () => {
  await using world = await startWorld()
  await world.process()
  const { host, domains, session } = world.fleet
  const { slept, started, cold, log } = world.markers
  for (const path of [slept, started, cold, log]) host.write(path, '')
  await domains.processes.runtime.remove(session, world.instance.id)
  assert.deepEqual(
    Object.values(world.markers).map((path) => host.read(path)),
    Object.values(world.markers).map(() => undefined),
  )
})

test('a folder of markers that is a link is refused', async () => {
  await using world = await startWorld()
  const { host } = world.fleet
  host.write('elsewhere/x', '')
  mkdirSync(host.at('dev/shm'), { recursive: true })
  symlinkSync(host.at('elsewhere'), host.at('dev/shm/fleet'))
  await assert.rejects(world.process(), { code: 'node.command_failed' })
})

test('an Instance is cold while its dependencies are gone [INS-073]', async () => {
  await using world = await startWorld()
  const { domain, fleet, instance, markers } = world
  const isCold = () => domain.isCold(fleet.session, instance.id)
  assert.equal(await isCold(), false)
  fleet.host.write(markers.cold, '')
  assert.equal(await isCold(), true)
})
