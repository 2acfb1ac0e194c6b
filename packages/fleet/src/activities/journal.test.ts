import assert from 'node:assert/strict'
import { FakeClock, forEachDialect, openTestStore } from '@fleet/testing'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { ActivityPublisher } from '#/activities/api.ts'
import { makeJournal } from '#/activities/journal.ts'
import type { ActivityEntry } from '#/activities/record.ts'

const nobody: ActivityPublisher = { isListening: async () => false, report: async () => undefined }

const journalOf = (store: Store, clock: Clock, gatewayId = 'gateway-a', publisher = nobody) =>
  makeJournal({ store, clock, gatewayId, publisher })

const entryAt = (clock: Clock, given: Partial<ActivityEntry> = {}): ActivityEntry => ({
  requestId: '6f0d2c1e-0b1d-4c55-8c0f-0d6a4f0b5a11',
  command: 'node:rename',
  callerAddress: '10.0.0.1',
  startedAt: clock.now(),
  startedTicks: clock.ticks(),
  ...given,
})

const rows = ({ db }: Store) => db.selectFrom('activities').selectAll().orderBy('id').execute()

const blank = {
  request_id: '6f0d2c1e-0b1d-4c55-8c0f-0d6a4f0b5a11',
  command: 'node:rename',
  caller_ip: '10.0.0.1',
  exit_code: null,
  subject_type: null,
  subject_id: null,
  target_node_id: null,
  occurred_at: '2026-01-02T03:04:05.000Z',
}

forEachDialect(
  'a change is running from its beginning and takes its outcome on the same row [ACT-001, ACT-003, ACT-016, API-017, API-018]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const clock = new FakeClock()
    const activity = journalOf(store, clock).open(entryAt(clock))
    activity.caller(1)
    activity.note.target(2)
    await activity.begin()
    const running = {
      ...blank,
      id: 1,
      caller_node_id: 1,
      target_node_id: 2,
      status: 'running',
      duration_ms: null,
      error_code: null,
      properties: { gateway: 'gateway-a' },
    }
    assert.deepEqual(await rows(store), [running])
    clock.advance(1234)
    activity.note.subject('node', 2)
    activity.note.exitCode(3)
    activity.note.property('step', 'x')
    await activity.fail('node.name_taken')
    const ended = {
      ...running,
      status: 'failed',
      duration_ms: 1234,
      error_code: 'node.name_taken',
      exit_code: 3,
      subject_type: 'node',
      subject_id: '2',
      properties: { step: 'x' },
    }
    assert.deepEqual(await rows(store), [ended])
  },
)

forEachDialect(
  'a read leaves one finished row and nothing before its end [ACT-010, ACT-015, API-019]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const clock = new FakeClock()
    const activity = journalOf(store, clock).open(
      entryAt(clock, { client: 'cli', clientVersion: '1.2', command: 'node:list' }),
    )
    assert.deepEqual(await rows(store), [])
    clock.advance(2)
    await activity.succeed()
    assert.deepEqual(await rows(store), [
      {
        ...blank,
        id: 1,
        command: 'node:list',
        caller_node_id: null,
        status: 'succeeded',
        duration_ms: 2,
        error_code: null,
        properties: { client: 'cli', client_version: '1.2' },
      },
    ])
  },
)

forEachDialect('a refused request of nobody is stored with its code [ACT-004, ACT-010]', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const clock = new FakeClock()
  await journalOf(store, clock)
    .open(entryAt(clock, { callerAddress: '' }))
    .fail('peer.identity_unknown')
  const [row] = await rows(store)
  assert.deepEqual(
    [row?.status, row?.error_code, row?.caller_ip, row?.caller_node_id],
    ['failed', 'peer.identity_unknown', null, null],
  )
})

forEachDialect('requests that end together are all stored, each with its own outcome', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const clock = new FakeClock()
  const journal = journalOf(store, clock)
  const reads = Array.from({ length: 60 }, (_, index) =>
    journal.open(entryAt(clock, { command: `read:${index}` })),
  )
  const changes = Array.from({ length: 20 }, (_, index) =>
    journal.open(entryAt(clock, { command: `change:${index}` })),
  )
  await Promise.all(changes.map((change) => change.begin()))
  await Promise.all([
    ...reads.map((read) => read.succeed()),
    ...changes.map((change, index) => change.fail(`a.b${index}`)),
  ])
  const stored = await rows(store)
  assert.equal(stored.length, 80)
  for (const { command, status, error_code } of stored) {
    const expected = command.startsWith('read') ? ['succeeded', null] : ['failed', `a.b${command.slice(7)}`]
    assert.deepEqual([status, error_code], expected)
  }
})

forEachDialect(
  'what a killed run of this gateway left running ends as interrupted at once [ACT-017]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const clock = new FakeClock()
    const killed = journalOf(store, clock).open(entryAt(clock))
    killed.note.property('step', 'x')
    await killed.begin()
    clock.advance(1000)
    assert.equal(await journalOf(store, clock).closeInterrupted(), 1)
    const [row] = await rows(store)
    // Nobody measured how long it ran.
    assert.deepEqual(
      [row?.status, row?.error_code, row?.duration_ms],
      ['failed', 'activity.interrupted', null],
    )
    assert.deepEqual(row?.properties, { step: 'x' })
    assert.equal(await journalOf(store, clock).closeInterrupted(), 0)
  },
)

forEachDialect(
  "another gateway's row is left alone until it is 900 s old, a row in progress always [ACT-017, GW-036]",
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const clock = new FakeClock()
    const mine = journalOf(store, clock)
    const inHand = mine.open(entryAt(clock, { command: 'mine' }))
    await inHand.begin()
    await journalOf(store, clock, 'gateway-b')
      .open(entryAt(clock, { command: 'theirs' }))
      .begin()
    clock.advance(899_999)
    assert.equal(await mine.closeInterrupted(), 0)
    clock.advance(1)
    assert.equal(await mine.closeInterrupted(), 1)
    await inHand.succeed()
    const outcomes = (await rows(store)).map(({ command, status, error_code }) => [
      command,
      status,
      error_code,
    ])
    assert.deepEqual(outcomes, [
      ['mine', 'succeeded', null],
      ['theirs', 'failed', 'activity.interrupted'],
    ])
  },
)

forEachDialect('an outcome is never rewritten', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const clock = new FakeClock()
  const activity = journalOf(store, clock).open(entryAt(clock))
  await activity.begin()
  await journalOf(store, clock).closeInterrupted()
  await activity.succeed()
  assert.equal((await rows(store))[0]?.status, 'failed')
})
