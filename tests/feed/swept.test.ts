import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type Clock, systemClock } from '@fleet/kernel'
import { startFeedWorld } from './world.ts'

/** Jobs that come once a minute come at once again, and so does the look at work that is due. */
const hurried: Clock = {
  ...systemClock,
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds < 10_000 ? milliseconds : 200, signal),
}

const LONG_AGO = new Date(Date.now() - 3_600_000).toISOString()

test('a change that nobody finished, and an update that continued for too long, are published when they are ended [EV-020, EV-067]', async () => {
  await using world = await startFeedWorld({ clock: hurried, repositories: [] })
  const { listener, fleet } = world
  const { db } = fleet.store
  const request_id = randomUUID()
  const row = { request_id, command: 'node:add', occurred_at: LONG_AGO, properties: {} }
  await db
    .insertInto('activities')
    .values({ ...row, status: 'running' })
    .execute()
  const ended = await listener.first(({ data }) => data['request_id'] === request_id)
  const { id, duration_ms } = ended.data
  assert.deepEqual(
    [ended.type, ended.id, ended.data],
    [
      'activity.updated',
      id,
      {
        id,
        request_id,
        command: 'node:add',
        status: 'failed',
        caller_node_id: null,
        target_node_id: null,
        error_code: 'activity.interrupted',
        duration_ms,
        occurred_at: LONG_AGO,
      },
    ],
  )
  const node = fleet.nodes.granted
  const updating = { kind: 'fleet_rollout', rollout: '1', release: null, since: LONG_AGO } as const
  await db.updateTable('nodes').set({ updating }).where('id', '=', node).execute()
  await db
    .updateTable('work')
    .set({ due_at: LONG_AGO })
    .where('kind', '=', 'node:end-stale-updates')
    .execute()
  const event = await listener.first(({ type }) => type === 'node.updated')
  const listed: ReadonlyArray<{ readonly id: number }> = await world.read('/nodes')
  assert.deepEqual([event.id, event.data], [node, listed.find((one) => one.id === node)])
  assert.equal(event.data['updating'], null)
})
