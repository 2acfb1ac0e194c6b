import assert from 'node:assert/strict'
import { FakeClock, forEachDialect, openTestStore } from '@fleet/testing'
import type { Store } from '@fleet/store'
import type { ActivityPublisher } from '#/activities/api.ts'
import { endActivity } from '#/activities/queries.ts'
import { makeJournal } from '#/activities/journal.ts'
import type { ActivityEntry } from '#/activities/record.ts'

interface Report {
  readonly type: string
  readonly notice: unknown
}

function recording(): ActivityPublisher & { readonly reported: Report[] } {
  const reported: Report[] = []
  return {
    reported,
    isListening: async () => true,
    report: async (type, notice) => void reported.push({ type, notice }),
  }
}

const clock = new FakeClock()
const journalOf = (store: Store, publisher: ActivityPublisher, gatewayId = 'a') =>
  makeJournal({ store, clock, gatewayId, publisher })

const entry = (command: string): ActivityEntry => ({
  requestId: crypto.randomUUID(),
  command,
  callerAddress: '10.0.0.1',
  startedAt: clock.now(),
  startedTicks: clock.ticks(),
})

const noticeOf = (request: ActivityEntry, id: number, given: object) => ({
  id,
  request_id: request.requestId,
  command: request.command,
  status: 'succeeded',
  caller_node_id: null,
  target_node_id: null,
  error_code: null,
  duration_ms: 0,
  occurred_at: request.startedAt.toISOString(),
  ...given,
})

forEachDialect(
  'a change is reported when it begins and when it ends, with nulls as they are stored [EV-066, EV-067, EV-074, EV-075]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const publisher = recording()
    const request = entry('node:rename')
    const activity = journalOf(store, publisher).open(request)
    activity.note.property('secret', 'not for the feed')
    await activity.begin()
    activity.note.target(7)
    await activity.fail('node.name_taken')
    const running = { status: 'running', duration_ms: null }
    const failed = { status: 'failed', target_node_id: 7, error_code: 'node.name_taken' }
    assert.deepEqual(publisher.reported, [
      { type: 'activity.created', notice: noticeOf(request, 1, running) },
      { type: 'activity.updated', notice: noticeOf(request, 1, failed) },
    ])
  },
)

forEachDialect(
  'reads and refusals that end together are each published once, by the id of their own row [EV-066, EV-085]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const publisher = recording()
    const journal = journalOf(store, publisher)
    const requests = [entry('node:list'), entry('node:show'), entry('project:list')]
    await Promise.all(requests.map((request) => journal.open(request).succeed()))
    const rows = await store.db.selectFrom('activities').select(['id', 'request_id']).execute()
    const idOf = new Map(rows.map((row) => [row.request_id, row.id]))
    const expected = requests.map((request) => ({
      type: 'activity.created',
      notice: noticeOf(request, idOf.get(request.requestId) ?? 0, {}),
    }))
    const texts = (reported: readonly Report[]) => reported.map((one) => JSON.stringify(one)).toSorted()
    assert.deepEqual(texts(publisher.reported), texts(expected))
  },
)

forEachDialect(
  'a read that names a Node is reported with it, and an ended row is not ended again',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const publisher = recording()
    const request = entry('node:show')
    const activity = journalOf(store, publisher).open(request)
    activity.note.target(7)
    await activity.succeed()
    assert.deepEqual(publisher.reported, [
      { type: 'activity.created', notice: noticeOf(request, 1, { target_node_id: 7 }) },
    ])
    assert.equal(await endActivity(store.db, 1, { status: 'failed' }), false)
  },
)

forEachDialect('rows about Activities are not published [EV-072]', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const publisher = recording()
  await journalOf(store, publisher).open(entry('activity:list')).succeed()
  assert.deepEqual(publisher.reported, [])
})

forEachDialect('a row that the sweep ends is reported [EV-067]', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const publisher = recording()
  const request = entry('node:rename')
  await journalOf(store, publisher).open(request).begin()
  const after = recording()
  assert.equal(await journalOf(store, after).closeInterrupted(), 1)
  const outcome = { status: 'failed', error_code: 'activity.interrupted', duration_ms: null }
  assert.deepEqual(after.reported, [{ type: 'activity.updated', notice: noticeOf(request, 1, outcome) }])
})

forEachDialect(
  'what a running Activity notes beside its Node and its outcome is not published [EV-073]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const publisher = recording()
    const activity = journalOf(store, publisher).open(entry('node:rename'))
    await activity.begin()
    activity.note.property('step', 'one')
    activity.note.subject('instance', 5)
    activity.note.property('step', 'two')
    assert.deepEqual(
      publisher.reported.map(({ type }) => type),
      ['activity.created'],
    )
    await activity.succeed()
    assert.deepEqual(
      publisher.reported.map(({ type }) => type),
      ['activity.created', 'activity.updated'],
    )
    for (const { notice } of publisher.reported)
      assert.doesNotMatch(JSON.stringify(notice), /step|properties/)
  },
)

forEachDialect(
  'requests that end together are each reported with the id of their own row, also two of one request id [EV-066]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const publisher = recording()
    const journal = journalOf(store, publisher)
    const request = entry('node:list')
    const requests = [request, { ...request, command: 'node:show' }, entry('role:list'), request]
    await Promise.all(requests.map((one) => journal.open(one).succeed()))
    const rows = await store.db
      .selectFrom('activities')
      .select(['id', 'request_id', 'command'])
      .orderBy('id')
      .execute()
    assert.equal(rows.length, 4)
    const told = publisher.reported.map(({ notice }) => {
      const { id, request_id, command } = notice as (typeof rows)[number] // Every notice has these.
      return { id, request_id, command }
    })
    assert.deepEqual(
      told.toSorted((a, b) => a.id - b.id),
      rows,
    )
  },
)
