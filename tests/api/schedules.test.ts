import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSchedule } from '@fleet/testing'
import { startTestGateway } from './harness.ts'

const ID = 'b3b0c7a4-2f2e-4d86-9f4a-3a4f7a0c2d11'

test('a report is answered 204 without a body to the Node of the Schedule, leaves no Activity, and is refused to any other and the gateway itself [SCHD-016, SCHD-017, GW-022, ACT-011, SCHD-020]', async () => {
  await using fleet = await startTestGateway()
  await addSchedule(fleet.store, {
    id: ID,
    node_id: fleet.nodes.ungranted,
  })
  const path = `/api/v1/schedules/${ID}`
  const report = (from: 'ungranted' | 'granted' | 'gateway', status: unknown, at = path) =>
    fleet.ask('POST', `${at}/complete`, { body: { status }, from })
  const done = await report('ungranted', 'success')
  assert.deepEqual([done.status, done.text], [204, ''])
  for (const from of ['granted', 'gateway'] as const)
    assert.deepEqual((await report(from, 'error')).json.error.code, 'schedule.target_invalid')
  assert.equal((await report('ungranted', 'odd')).status, 422)
  const other = path.replace('b3b0', 'b3b1')
  assert.equal((await report('ungranted', 'success', other)).json.error.code, 'schedule.not_found')
  const rows = await fleet.store.db.selectFrom('activities').select('id').execute()
  assert.deepEqual(rows, [])
  const { json } = await fleet.ask('GET', path, { from: 'ungranted' })
  assert.equal(json.data.last_run_status, 'success')
  assert.equal((await fleet.ask('GET', path, { from: 'granted' })).status, 403)
  assert.equal((await fleet.ask('PATCH', path, { body: {}, from: 'ungranted' })).status, 405)
})
