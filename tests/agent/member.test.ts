import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHANNEL, eventually, LOG_CHANNEL, only, startWorld } from './world.ts'

test('an agent joins its two channels as itself, says that it lives every 5 s and reports the machine in a snapshot [AG-009, AG-012, AG-019, AG-020, AG-026, AG-027, AG-028, AG-032, AG-038, LIM-013, LOG-001]', async () => {
  await using world = await startWorld()
  world.systemd.set('orbit-process-7-queue.service', 'active')
  world.systemd.set('ssh.service', 'active')
  world.docker.set('orbit-process-8-db', 'running')
  world.docker.set('postgres', 'running')
  const view = await world.member(CHANNEL)
  const relay = await world.member(LOG_CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  const arrivals = [...view.heard, ...relay.heard].filter(({ event }) => event === 'pusher:member_added')
  const info = { kind: 'agent', node_id: 7, version: '0.2.0' }
  assert.deepEqual(
    arrivals.map(({ data }) => data),
    [CHANNEL, LOG_CHANNEL].map(() => ({ user_id: 'agent.7', user_info: info })),
  )
  const at = '2026-01-02T03:04:05.000Z'
  assert.deepEqual(view.said(), [
    { event: 'client-heartbeat', data: { sequence: 1, at } },
    {
      event: 'client-snapshot',
      data: {
        sequence: 2,
        at,
        docker: 'available',
        part: 1,
        parts: 1,
        units: [
          { name: 'orbit-process-8-db', runtime: 'docker', runtime_status: 'running' },
          { name: 'orbit-process-7-queue', runtime: 'systemd', runtime_status: 'active' },
        ],
      },
    },
    { event: 'client-workspaces', data: { sequence: 3, at, part: 1, parts: 1, workspaces: [] } },
  ])
  await world.pass(4999)
  assert.equal(only(view, 'client-heartbeat').length, 1)
  await world.pass(1)
  await eventually(() => only(view, 'client-heartbeat').length === 2)
  await world.pass(50_000)
  await eventually(() => only(view, 'client-snapshot').length === 2)
  await eventually(() => only(view, 'client-heartbeat').length === 12)
})

test('a member that arrives hears a snapshot of its own; a hundred that arrive together share one [AG-020]', async () => {
  await using world = await startWorld()
  const view = await world.member(CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  await world.pass(1000)
  const viewer = await world.member(CHANNEL, 'viewer.1')
  await eventually(() => only(viewer, 'client-snapshot').length === 1)
  for (let index = 2; index < 20; index += 1) await world.member(CHANNEL, `viewer.${index}`)
  await world.until(() => only(viewer, 'client-snapshot').length === 2)
  await world.pass(3000)
  assert.equal(only(viewer, 'client-snapshot').length, 2)
})

test('a changed unit is reported after 250 ms, once however often it changed; one that is gone reads as ended [AG-021, AG-035]', async () => {
  await using world = await startWorld()
  const [unit, container] = ['orbit-process-7-queue', 'orbit-process-8-db']
  world.systemd.set(`${unit}.service`, 'active')
  world.docker.set(container, 'running')
  const view = await world.member(CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  const reported = () => only(view, 'client-process').map((one) => one.unit)
  for (const state of ['deactivating', 'inactive', 'activating', 'active'])
    world.systemd.set(`${unit}.service`, state)
  world.systemd.set('ssh.service', 'failed')
  await world.until(() => reported().length === 1)
  world.systemd.set(`${unit}.service`, 'failed')
  await world.until(() => reported().length === 2)
  world.systemd.remove(`${unit}.service`)
  await world.until(() => reported().length === 3)
  world.docker.set(container, 'paused')
  await world.until(() => reported().length === 4)
  world.docker.happen(container, 'restart')
  await world.until(() => reported().length === 5)
  world.docker.remove(container)
  await world.until(() => reported().length === 6)
  assert.deepEqual(reported(), [
    { name: unit, runtime: 'systemd', runtime_status: 'active' },
    { name: unit, runtime: 'systemd', runtime_status: 'failed' },
    { name: unit, runtime: 'systemd', runtime_status: 'inactive' },
    { name: container, runtime: 'docker', runtime_status: 'paused' },
    { name: container, runtime: 'docker', runtime_status: 'paused' },
    { name: container, runtime: 'docker', runtime_status: 'exited' },
  ])
})

test('what any other user of the machine sends about a unit is not believed', async () => {
  await using world = await startWorld()
  world.systemd.set('orbit-process-7-queue.service', 'active')
  const view = await world.member(CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  await world.systemd.pretend('orbit-process-7-queue.service', 'failed')
  await world.pass(1000)
  world.systemd.set('orbit-process-7-queue.service', 'reloading')
  await world.until(() => only(view, 'client-process').length > 0)
  assert.deepEqual(
    only(view, 'client-process').map((one) => one.unit.runtime_status),
    ['reloading'],
  )
})

test('Docker may be absent, come, go and come again, each time with a snapshot; its containers are silent meanwhile [AG-020, AG-027]', async () => {
  await using world = await startWorld()
  world.docker.set('orbit-process-8-db', 'running')
  await world.docker.stop()
  const view = await world.member(CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-snapshot').length === 1)
  await world.docker.start()
  await world.until(() => only(view, 'client-snapshot').length === 2)
  await world.docker.stop()
  await world.until(() => only(view, 'client-snapshot').length === 3)
  await world.docker.start()
  await world.until(() => only(view, 'client-snapshot').length === 4)
  assert.deepEqual(
    only(view, 'client-snapshot').map(({ docker, units }) => [docker, units.length]),
    [
      ['absent', 0],
      ['available', 1],
      ['absent', 0],
      ['available', 1],
    ],
  )
})

test('many units are reported in parts, each of less than 10,000 bytes [AG-028, AG-029, AG-031]', async () => {
  await using world = await startWorld()
  const names = Array.from({ length: 300 }, (_, index) => `orbit-process-${index + 1}-${'n'.repeat(60)}`)
  for (const name of names) world.systemd.set(`${name}.service`, 'active')
  const view = await world.member(CHANNEL)
  world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  const snapshots = only(view, 'client-snapshot')
  assert.ok(snapshots.length > 3)
  assert.deepEqual(
    snapshots.map(({ part, parts }) => [part, parts]),
    snapshots.map((_, index) => [index + 1, snapshots.length]),
  )
  assert.deepEqual(
    snapshots.flatMap(({ units }) => units.map(({ name }) => name)),
    names.toSorted(),
  )
})

test('an agent whose server goes comes back by itself, with numbers that continue; another run begins at 1 [AG-024, AGT-035]', async () => {
  await using world = await startWorld()
  const view = await world.member(CHANNEL)
  const agent = world.agent()
  await eventually(() => only(view, 'client-workspaces').length === 1)
  world.pusher.server.stop().catch(() => undefined)
  await view.connection.closed
  await agent.stop()
  assert.deepEqual(agent.lines, ['the gateway answers; the agent is part of the fleet'])
  await using next = await startWorld()
  const again = await next.member(CHANNEL)
  const first = next.agent()
  await eventually(() => only(again, 'client-workspaces').length === 1)
  await first.stop()
  next.agent()
  await eventually(() => only(again, 'client-workspaces').length === 2)
  assert.deepEqual(
    only(again, 'client-heartbeat').map(({ sequence }) => sequence),
    [1, 1],
  )
})
