import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import {
  addInstance,
  addNode,
  addProject,
  addSchedule,
  fakeCall,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import type { NodeSession } from '#/nodes/api.ts'

test('a Schedule that was removed with its Instance is published although the next one fails [EV-042]', async () => {
  await using store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const { id: instance_id } = await addInstance(store, { project_id: (await addProject(store)).id, node_id })
  for (const name of ['first', 'second']) await addSchedule(store, { instance_id, name })
  const call = fakeCall()
  let stopped = 0
  const ask = async (_script: unknown, request: object) => {
    if (!('action' in request)) return { kept: [] }
    if (++stopped > 1) throw fail('schedule.remove_failed')
    return false
  }
  const session = { call, ask, node: { name: 'web' } } as unknown as NodeSession // Removing does nothing else on the Node.
  const removal = testDomains({ store }).schedules.runtime.remove(session, instance_id)
  await assert.rejects(removal, { code: 'schedule.remove_failed' })
  const [left, ...others] = await store.db.selectFrom('schedules').select(['id', 'name']).execute()
  assert.deepEqual(others, [])
  const gone = left?.name === 'first' ? 'second' : 'first'
  assert.deepEqual(
    call.published.flatMap(({ type, data }) => (type === 'schedule.deleted' ? [Object(data).name] : [])),
    [gone],
  )
})
