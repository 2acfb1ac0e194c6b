import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deadline, systemClock } from '@fleet/kernel'
import { addInstance, addProject, fakeCall, forEachDialect } from '@fleet/testing'
import {
  fileOf,
  findings,
  PASSWORD,
  quotedValues,
  rejection,
  startWorld,
  unitOf,
  withMarker,
  type World,
} from '#/processes/connections/world.test.ts'
import { markInstance } from '#/processes/sleep/markers.ts'

const typesOf = ({ events }: Awaited<ReturnType<World['update']>>): readonly string[] =>
  events.map(({ type, data }) =>
    type === 'process.status' && typeof data === 'object' && data && 'name' in data
      ? `${type} ${String(data.name)}`
      : type,
  )

forEachDialect(
  'a changed connection restarts each unit that depends on it with the new values, keeps ids and desired states, and leaves all others alone [DB-096]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const web = await world.create({ start: true })
    const idle = await world.create({ name: 'idle' })
    const other = await world.create({ name: 'other', start: true, connections: [] })
    const before = await world.list()
    assert.equal(world.environmentOf(web), withMarker(web, quotedValues('a.internal')))
    world.acted()
    const call = await world.update({ host: 'b.internal' })
    assert.equal(world.environmentOf(web), withMarker(web, quotedValues('b.internal')))
    assert.equal(world.fleet.host.read(fileOf(idle)), `${withMarker(idle, quotedValues('b.internal'))}\n`)
    assert.deepEqual(world.acted(), [`restart ${unitOf(web)}`, `stop ${unitOf(idle)}`])
    assert.deepEqual(typesOf(call), ['database.updated', 'process.status web'])
    const still = (all: Awaited<ReturnType<World['list']>>) =>
      all.map(({ cpu: _, ...process }) => ({ ...process }))
    assert.deepEqual(still(await world.list()), still(before))
    assert.deepEqual(
      before.map(({ id, desired_state }) => [id, desired_state]),
      [
        [web.id, 'running'],
        [idle.id, 'stopped'],
        [other.id, 'running'],
      ],
    )
    assert.deepEqual(await findings(world), [])
    // It starts with them once it is wanted.
    await world.act('start', idle)
    assert.equal(world.environmentOf(idle), withMarker(idle, quotedValues('b.internal')))
  },
)

test('a container that depends on a connection is created anew with the new values, and runs if it ran [DB-096]', async () => {
  await using world = await startWorld()
  const { docker } = world.fleet.host
  const of = { runtime: 'docker', image: 'app:1', environment: ['A=1'], connections: ['shop:MAIN'] } as const
  const web = await world.create({ ...of, environment: ['A=1'], connections: ['shop:MAIN'], start: true })
  const idle = await world.create({ ...of, environment: [], connections: ['shop:MAIN'], name: 'idle' })
  const seen = (name: string) => {
    const { environment, status, labels } = docker.container(name) ?? assert.fail('there is no container')
    return [
      environment[0],
      environment.find((entry) => entry.startsWith('MAIN_HOST')),
      status,
      labels['fleet.process.id'],
    ]
  }
  const names = [`orbit-process-${web.id}-web`, `orbit-process-${idle.id}-idle`] as const
  assert.deepEqual(names.map(seen), [
    ['A=1', 'MAIN_HOST=a.internal', 'running', String(web.id)],
    ['MAIN_CONNECTION=pgsql', 'MAIN_HOST=a.internal', 'created', String(idle.id)],
  ])
  assert.ok(docker.container(names[0])?.environment.includes(`MAIN_PASSWORD=${PASSWORD}`))
  const call = await world.update({ host: 'b.internal' })
  const [ran, rested] = names.map(seen)
  assert.deepEqual(ran, ['A=1', 'MAIN_HOST=b.internal', 'running', String(web.id)])
  assert.deepEqual(rested?.slice(0, 2), ['MAIN_CONNECTION=pgsql', 'MAIN_HOST=b.internal'])
  assert.notEqual(rested?.[2], 'running')
  assert.deepEqual(typesOf(call), ['database.updated', 'process.status web'])
  assert.deepEqual(await findings(world), [])
  const calls = docker.calls().length
  await world.update({ host: 'b.internal' })
  assert.equal(docker.calls().length, calls)
})

forEachDialect(
  'a change stays stored when a Process does not follow: the error names it, its Node, the cause and what to run, and the others follow [DB-097]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { fleet, update } = world
    const web = await world.create({ start: true })
    const next = await world.create({ name: 'next', start: true })
    fleet.host.systemd.break(unitOf(web))
    const call = fakeCall()
    const error = await rejection(update({ host: 'b.internal' }, call))
    assert.equal(error.code, 'database.processes_behind')
    assert.equal(
      error.message,
      `The connection shop is stored, but the Process web (${web.id}) of the Node ${fleet.node.name} does not have its values yet: ` +
        `The Process was restarted with the new values and ended with an error. Read why: \`fleet process:logs ${web.id}\`. ` +
        'Once that is repaired, run `fleet database:update shop`: it repairs what is left.',
    )
    const { processes, count } = error.details as {
      processes: readonly { process_id: number }[]
      count: number
    } // Of its own.
    assert.deepEqual([processes.map(({ process_id }) => process_id), count], [[web.id], 1])
    assert.equal((await world.show())['host'], 'b.internal')
    assert.equal(world.environmentOf(next), withMarker(next, quotedValues('b.internal')))
    assert.deepEqual(typesOf(call), ['database.updated', 'process.status next'])
  },
)

test('whatever keeps a Node from the change, the change stays stored [DB-097]', async () => {
  await using world = await startWorld()
  const { fleet, update } = world
  const web = await world.create({ start: true })
  fleet.host.pool.failBefore((shown) => shown.includes('inspect'))
  const silent = await rejection(update({ host: 'b.internal' }))
  assert.match(silent.message, new RegExp(`Process web \\(${web.id}\\) of the Node ${fleet.node.name}`))
  assert.equal((await world.show())['host'], 'b.internal')
  fleet.host.pool.clearFaults()
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const inactive = await rejection(update({ host: 'c.internal' }))
  assert.match(inactive.message, /yet: The Node .* is not active\./)
  assert.equal((await world.show())['host'], 'c.internal')
  assert.deepEqual(world.environmentOf(web), withMarker(web, quotedValues('a.internal')))
})

forEachDialect(
  'the identical change repairs what is behind, and does nothing where nothing is [DB-098]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { fleet, update } = world
    const web = await world.create({ start: true })
    const idle = await world.create({ name: 'idle' })
    fleet.host.pool.failBefore((shown) => shown.includes('service'))
    const change = { host: 'b.internal', password: PASSWORD } as const
    const both = await rejection(update(change))
    assert.equal(both.details['count'], 2)
    assert.match(both.message, / It is the same with 1 more \(`details\.processes`\)\. /)
    fleet.host.pool.clearFaults()
    world.acted()
    const call = await update(change)
    assert.deepEqual(typesOf(call), ['process.status web'])
    assert.equal(world.environmentOf(web), withMarker(web, quotedValues('b.internal')))
    assert.equal(fleet.host.read(fileOf(idle)), `${withMarker(idle, quotedValues('b.internal'))}\n`)
    const { length } = fleet.host.pool.commands
    for (const again of [change, {}]) assert.deepEqual((await update(again)).events, [])
    assert.equal(fleet.host.pool.commands.length, length)
    assert.deepEqual(await findings(world), [])
  },
)

test('a unit whose file was written and that was not restarted is behind until the same change, a start or a converge [DB-098]', async () => {
  await using world = await startWorld()
  const { fleet, update } = world
  const web = await world.create({ start: true })
  const repairs: ReadonlyArray<() => Promise<unknown>> = [
    () => update({}),
    () => world.act('start', web),
    () => fleet.domains.processes.artifact.converge(fleet.session, { force: true }),
  ]
  for (const [at, repair] of repairs.entries()) {
    const host = `n${at}.internal`
    fleet.host.pool.failBefore((shown) => shown.includes('act on the unit'))
    await rejection(update({ host }))
    fleet.host.pool.clearFaults()
    assert.equal(fleet.host.read(fileOf(web)), `${withMarker(web, quotedValues(host))}\n`)
    assert.deepEqual(await findings(world), ['process.unit_mismatch: other values'])
    world.acted()
    await repair()
    assert.deepEqual(world.acted(), [`restart ${unitOf(web)}`])
    assert.equal(world.environmentOf(web), withMarker(web, quotedValues(host)))
    assert.deepEqual(await findings(world), [])
  }
})

test('a unit that ended with an error at its restart is restarted by the same change [DB-098]', async () => {
  await using world = await startWorld()
  const { systemd } = world.fleet.host
  const web = await world.create({ start: true })
  systemd.break(unitOf(web))
  for (const _time of [1, 2])
    assert.equal((await rejection(world.update({ host: 'b.internal' }))).code, 'database.processes_behind')
  systemd.clearFaults()
  await world.update({ host: 'b.internal' })
  assert.equal(systemd.isActive(unitOf(web)), true)
  assert.equal(world.environmentOf(web), withMarker(web, quotedValues('b.internal')))
})

test('a change waits for whoever is about to start a Process with the values before it', async () => {
  await using world = await startWorld()
  const web = await world.create({ start: true })
  const held = await world.fleet.store.locks.acquire({
    name: `process:${web.id}`,
    operation: 'process:restart',
    requestId: 'another',
    leaseSeconds: 60,
    waitMilliseconds: 0,
  })
  const busy = await rejection(
    world.update({ host: 'b.internal' }, fakeCall({ deadline: new Deadline(systemClock, 20.1, 20) })),
  )
  assert.match(busy.message, /yet: Another operation is changing this Process\./)
  await held[Symbol.asyncDispose]()
})

test('a Process of an Instance that sleeps is not woken by a change, and wakes with the new values', async () => {
  await using world = await startWorld()
  const { fleet } = world
  const project = await addProject(fleet.store)
  const place = { project_id: project.id, node_id: fleet.node.id, status: 'active' as const }
  const { id } = await addInstance(fleet.store, place)
  const web = await world.create({ target_type: 'instance', target_id: id, start: true })
  const { root } = fleet.host
  await fleet.session.ask(markInstance, { root, instanceId: id, as: 'halting' })
  await fleet.domains.processes.sleeping.halt(fleet.session, id)
  await fleet.session.ask(markInstance, { root, instanceId: id, as: 'asleep' })
  world.acted()
  const call = await world.update({ host: 'b.internal' })
  assert.deepEqual(typesOf(call), ['database.updated'])
  assert.deepEqual(world.acted(), [])
  await fleet.domains.processes.sleeping.start(fleet.session, id)
  assert.equal(world.environmentOf(web), withMarker(web, quotedValues('b.internal')))
})
