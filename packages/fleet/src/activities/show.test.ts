import assert from 'node:assert/strict'
import { activity } from '@fleet/contract'
import { addActivity, fakeCall, forEachDialect, openTestStore } from '@fleet/testing'
import { makeShow } from '#/activities/show.ts'

forEachDialect(
  'one row is shown whole, without the mark of the gateway that runs it [ACT-001, ACT-002, ACT-008]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const row = await addActivity(store, {
      properties: { gateway: 'x', client: 'cli' },
      status: 'running',
      duration_ms: null,
    })
    const { data } = await makeShow(store)({ call: fakeCall(), input: { activity: row.id } })
    assert.deepEqual(data, { ...row, properties: { client: 'cli' } })
    assert.deepEqual(activity.parse(data), data)
  },
)

forEachDialect('an unknown row is refused [ACT-008]', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const shown = makeShow(store)({ call: fakeCall(), input: { activity: 7 } })
  await assert.rejects(shown, { code: 'activity.not_found', status: 404 })
})
