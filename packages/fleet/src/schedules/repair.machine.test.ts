import assert from 'node:assert/strict'
import { chmodSync, readdirSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import type { DoctorCode, ScheduleData } from '@fleet/contract'
import { addNode, asCaller, fakeCall, type ServiceFleet } from '@fleet/testing'
import { holding, lockOf } from '#/locks/api.ts'
import {
  addActiveInstance,
  pathOf,
  serviceOf,
  startScheduleFleet,
  timerOf,
  world,
} from '#/schedules/world.test.ts'

async function codesOf(fleet: ServiceFleet): Promise<readonly string[]> {
  const { data } = await fleet.domains.doctor.handlers['doctor:run']({
    call: fakeCall({ caller: asCaller(fleet.node, true) }),
    input: { node_id: fleet.node.id, families: ['schedule'] },
  })
  return data.nodes.flatMap(({ families }) =>
    families.flatMap(({ issues }) => issues.map(({ code }) => code)),
  )
}

const converge = (fleet: ServiceFleet) =>
  fleet.domains.schedules.artifact.converge(fleet.session, { force: true })

type Breaks = (fleet: ServiceFleet, data: ScheduleData) => void

const edited =
  (part: keyof typeof pathOf, from: string, to: string): Breaks =>
  ({ host }, data) => {
    const path = pathOf[part](data)
    host.write(path, (host.read(path) ?? '').replace(from, to))
  }

const BREAKS: ReadonlyArray<readonly [code: DoctorCode, what: string, breaks: Breaks]> = [
  [
    'schedule.artifact_missing',
    'a script that is gone',
    ({ host }, data) => rmSync(host.at(pathOf.script(data))),
  ],
  [
    'schedule.artifact_permissions_mismatch',
    'a script that everybody may read',
    ({ host }, data) => chmodSync(host.at(pathOf.script(data)), 0o644),
  ],
  ['schedule.specification_mismatch', 'another command', edited('script', 'echo', 'printf')],
  ['schedule.calendar_mismatch', 'another calendar', edited('timer', 'daily', 'weekly')],
  ['schedule.execution_context_mismatch', 'another account', edited('service', 'User=', 'User=x')],
  [
    'schedule.completion_callback_mismatch',
    'a service that reports something else',
    edited('service', '${SERVICE_RESULT}', 'success'),
  ],
  [
    'schedule.timer_state_mismatch',
    'a timer that was disabled by hand',
    ({ host }, data) => {
      host.systemd.disable(timerOf(data))
      host.systemd.kill(timerOf(data))
    },
  ],
]

for (const [code, what, breaks] of BREAKS)
  test(`Doctor reports ${what}, and a converge repairs it [DRF-049, DRF-050, DRF-051]`, async () => {
    await using fleet = await startScheduleFleet()
    const { data } = await world(fleet).create()
    const texts = () => Object.values(pathOf).map((path) => fleet.host.read(path(data)))
    const installed = texts()
    assert.deepEqual(await codesOf(fleet), [])
    assert.equal(await converge(fleet), 'unchanged')
    breaks(fleet, data)
    assert.deepEqual(await codesOf(fleet), [code])
    assert.equal(await converge(fleet), 'applied')
    assert.deepEqual([await codesOf(fleet), texts()], [[], installed])
    assert.equal(fleet.host.systemd.isActive(timerOf(data)), true)
  })

test('a timer that should wait and was enabled by hand is reported and disabled', async () => {
  await using fleet = await startScheduleFleet()
  const { id } = await addActiveInstance(fleet)
  const { data } = await world(fleet).create({ target_type: 'instance', target_id: id, start: false })
  assert.deepEqual(await codesOf(fleet), [])
  fleet.host.write(`systemd/enabled/${timerOf(data)}`, '')
  assert.deepEqual(await codesOf(fleet), ['schedule.timer_state_mismatch'])
  await converge(fleet)
  assert.deepEqual(await codesOf(fleet), [])
})

test('what was removed while its Node was silent, or belongs to another Node, is reported and removed, and what is not Fleet’s stays [DRF-049, DRF-051]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, destroy } = world(fleet)
  const gone = await create()
  const moved = await create({ name: 'moved' })
  const digest = () => fleet.domains.schedules.artifact.digest(fleet.node)
  const before = await digest()
  const { db } = fleet.store
  await db.updateTable('nodes').set({ status: 'failed' }).execute()
  const { removed, retained_on_nodes } = (await destroy(gone.data.id, true)).data
  assert.equal(removed, true)
  assert.deepEqual(retained_on_nodes, [
    { node_id: fleet.node.id, node: fleet.node.name, timer: timerOf(gone.data) },
  ])
  await db.updateTable('nodes').set({ status: 'active' }).execute()
  const other = await addNode(fleet.store)
  await db.updateTable('schedules').set({ node_id: other.id }).where('id', '=', moved.data.id).execute()
  const foreign = 'etc/systemd/system/fleet-schedule-3b0c7a42-2f2e-4d86-9f4a-3a4f7a0c2d11.timer'
  fleet.host.write(foreign, '[Timer]\n')
  assert.deepEqual(await codesOf(fleet), ['schedule.orphan_artifact', 'schedule.placement_mismatch'])
  assert.notEqual(await digest(), before)
  assert.equal(await converge(fleet), 'applied')
  assert.deepEqual(await codesOf(fleet), [])
  assert.deepEqual(readdirSync(fleet.host.at('etc/systemd/system')), [foreign.split('/').at(-1)])
  assert.equal(fleet.host.systemd.isActive(timerOf(gone.data)), false)
})

test('a creation that did not finish is reported, not while somebody works on it, and destroying it clears the code', async () => {
  await using fleet = await startScheduleFleet()
  const { create, destroy } = world(fleet)
  const { data } = await create()
  await fleet.store.db.updateTable('schedules').set({ status: 'failed' }).execute()
  assert.deepEqual(await codesOf(fleet), ['schedule.lifecycle_not_active'])
  await holding(fleet.store, fakeCall(), lockOf('schedule', data.id), async () =>
    assert.deepEqual(await codesOf(fleet), []),
  )
  await destroy(data.id)
  assert.deepEqual(await codesOf(fleet), [])
})

test('a removal that waits for a run is not reported until its rest is due', async () => {
  await using fleet = await startScheduleFleet()
  const { create, run, destroy } = world(fleet)
  const { data } = await create()
  await run(data.id)
  assert.equal((await destroy(data.id)).data.removed, false)
  assert.deepEqual(await codesOf(fleet), [])
  await fleet.store.db.updateTable('work').set({ due_at: '2020-01-01T00:00:00.000Z' }).execute()
  assert.deepEqual(await codesOf(fleet), ['schedule.lifecycle_not_active'])
})

test('what systemd does not answer of a timer is not known', async () => {
  await using fleet = await startScheduleFleet()
  await world(fleet).create()
  fleet.host.install('systemctl', 'exit 1')
  assert.deepEqual(await codesOf(fleet), ['schedule.inspection_failed'])
})

test('a Schedule of somebody else’s files keeps no other from its repair', async () => {
  await using fleet = await startScheduleFleet()
  const { create } = world(fleet)
  const { data } = await create()
  const other = await create({ name: 'other' })
  fleet.host.write(pathOf.timer(data), '[Timer]\n')
  rmSync(fleet.host.at(pathOf.script(other.data)))
  assert.partialDeepStrictEqual(await converge(fleet), { skipped: 'schedule.artifact_conflict' })
  assert.equal(fleet.host.read(pathOf.timer(data)), '[Timer]\n')
  assert.ok(fleet.host.read(pathOf.script(other.data)))
})

test('the Schedules of an Instance are ended, then removed with it; on a silent Node what they had is found later [INS-115]', async () => {
  await using fleet = await startScheduleFleet()
  const { create, run, list } = world(fleet)
  const instance = await addActiveInstance(fleet)
  const target = { target_type: 'instance', target_id: instance.id } as const
  const { data } = await create(target)
  await run(data.id)
  const { runtime } = fleet.domains.schedules
  const { systemd } = fleet.host
  await runtime.stop(fleet.session, instance.id)
  assert.deepEqual([systemd.isActive(timerOf(data)), systemd.isActive(serviceOf(data))], [false, false])
  assert.ok(fleet.host.read(pathOf.timer(data)))
  // Whoever starts a run in between does not keep the Instance.
  await run(data.id)
  await runtime.remove(fleet.session, instance.id)
  assert.deepEqual([fleet.host.read(pathOf.timer(data)), await list()], [undefined, []])
  assert.equal(systemd.isActive(serviceOf(data)), false)
  const again = await create(target)
  await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).execute()
  const call = fakeCall({ caller: asCaller(fleet.node, true) })
  await fleet.domains.instances.handlers['instance:destroy']({
    call,
    input: { instance: instance.id, force: true, offline: true },
  })
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['schedule.deleted', 'instance.deleted'],
  )
  await fleet.store.db.updateTable('nodes').set({ status: 'active' }).execute()
  assert.ok(fleet.host.read(pathOf.timer(again.data)))
  assert.deepEqual(await codesOf(fleet), ['schedule.orphan_artifact'])
})

test('an Instance whose Schedule cannot be ended is not removed further; a timer of somebody else stops nothing [INS-115]', async () => {
  await using fleet = await startScheduleFleet()
  const { create } = world(fleet)
  const { id } = await addActiveInstance(fleet)
  const { data } = await create({ target_type: 'instance', target_id: id })
  const { runtime } = fleet.domains.schedules
  const timer = fleet.host.read(pathOf.timer(data)) ?? ''
  fleet.host.write(pathOf.timer(data), '[Timer]\n')
  await runtime.stop(fleet.session, id)
  fleet.host.write(pathOf.timer(data), timer)
  fleet.host.install('systemctl', 'exit 1')
  await assert.rejects(runtime.stop(fleet.session, id), { code: 'schedule.remove_failed' })
})

test('a Node that owns Schedules says how many; those of its Instances are theirs [NODE-090, SCHD-022]', async () => {
  await using fleet = await startScheduleFleet()
  const { create } = world(fleet)
  const instance = await addActiveInstance(fleet)
  await create({ target_type: 'instance', target_id: instance.id })
  const { owned } = fleet.domains.nodeServices
  assert.equal(await owned.schedules(fleet.node.id), 0)
  await create()
  assert.equal(await owned.schedules(fleet.node.id), 1)
})
