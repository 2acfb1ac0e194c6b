import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail, type ScheduleData } from '@fleet/contract'
import { addNode, addSchedule, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'
import { findSchedule } from '#/schedules/find.ts'
import { removeSchedule, type ScheduleRemoval } from './removal.ts'

test('the start of a removal is published once, also where its Node fails the rest [EV-041]', async () => {
  await using store = await openTestStore()
  const { id } = await addSchedule(store, { node_id: (await addNode(store)).id })
  const ask = () => Promise.reject(fail('schedule.remove_failed'))
  const session = { ask, node: { name: 'web' } } as unknown as NodeSession // It is only asked to stop the timer.
  const deps = { store } as ScheduleRemoval['deps'] // What a removal uses until then.
  const { nodes, instances } = testDomains({ store })
  const owners = { store, nodes: nodes.nodes, instances: instances.instances }
  const remove = async () => {
    const [call, schedule] = [fakeCall(), await findSchedule(owners, id)]
    assert.ok(schedule)
    const removal = removeSchedule({ deps, call, schedule, session, endsRun: false })
    await assert.rejects(removal, { code: 'schedule.remove_failed' })
    return call.published.map(({ type, data }) => [type, (data as ScheduleData).status]) // Of Schedules alone.
  }
  assert.deepEqual(await remove(), [['schedule.updated', 'removing']])
  assert.deepEqual(await remove(), [])
})
