import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import * as z from 'zod'
import { pauseSecondsOf, type WorkKind, workKind } from '#/work/kinds.ts'
import { startWorkRunner } from '#/work/runner.ts'
import { activitiesOf, CALLER, counted, failing, gatewayOf } from '#/work/world.test.ts'

const clock = systemClock

function start(store: Store, kinds: readonly WorkKind[], gatewayId = 'one', own = clock) {
  const gateway = gatewayOf(store, own, gatewayId)
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const runner = startWorkRunner({ ...gateway.deps, kinds, log, leaseSeconds: 2 })
  return { ...gateway, [Symbol.asyncDispose]: () => runner.drain(), runner }
}

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  const end = clock.ticks() + 20_000
  while (!(await isSo())) {
    assert.ok(clock.ticks() < end, 'it did not come true')
    await clock.sleep(10)
  }
}
const isEmpty = async ({ db }: Store): Promise<boolean> =>
  (await db.selectFrom('work').select('id').execute()).length === 0

forEachDialect(
  'work that is added wakes the process at once, and its events are published when it is done',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    await using gateway = start(store, [counted])
    // Past the first look: only the wake-up can be in time, for the next look is seconds away.
    await clock.sleep(300)
    const added = clock.ticks()
    await store.transaction((db) =>
      store.work.add(
        { kind: counted.name, payload: { name: 'sample' }, callerNodeId: CALLER.id, dueAt: clock.now() },
        db,
      ),
    )
    await until(() => isEmpty(store))
    assert.ok(clock.ticks() - added < 9000)
    await gateway.runner.drain()
    assert.deepEqual(gateway.published, ['7'])
    const rows = await store.db
      .selectFrom('activities')
      .select(['command', 'status', 'caller_node_id'])
      .execute()
    assert.deepEqual(rows, [{ command: 'sample:count', status: 'succeeded', caller_node_id: CALLER.id }])
  },
)

forEachDialect(
  'work that fails is tried again and dies after its last attempt, each with its Activity',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    await using _ = start(store, [failing('node.unreachable', { maxAttempts: 3, pauseSeconds: () => 0 })])
    await store.work.add({ kind: 'sample:fail', key: 'a', payload: null, dueAt: clock.now() })
    await until(async () => (await store.work.listDead()).length === 1)
    const [dead] = await store.work.listDead()
    assert.deepEqual([dead?.attempts, dead?.errorCode], [3, 'node.unreachable'])
    assert.deepEqual(
      await activitiesOf(store),
      Array.from({ length: 3 }, () => 'failed node.unreachable'),
    )
  },
)

forEachDialect(
  'what no repetition can cure dies at once, and so does work for a Node that is gone',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    await using _ = start(store, [failing('node.not_found')])
    const dueAt = clock.now()
    await store.work.add({ kind: 'sample:fail', payload: null, dueAt })
    await until(async () => (await store.work.listDead()).length === 1)
    await store.work.add({ kind: 'sample:fail', payload: null, callerNodeId: 99, dueAt })
    await until(async () => (await store.work.listDead()).length === 2)
    assert.deepEqual(await activitiesOf(store), ['failed node.not_found', 'failed peer.identity_unknown'])
  },
)

forEachDialect(
  'what a tick finds again ends with its failure, which its Activity has, and leaves nothing for Doctor',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const kinds = [failing('instance.lifecycle_busy', { isFoundAgain: true })]
    await using _ = start(store, kinds)
    await store.work.add({ kind: 'sample:fail', key: '7', payload: null, dueAt: clock.now() })
    await until(async () => (await activitiesOf(store)).at(-1) === 'failed instance.lifecycle_busy')
    await until(() => isEmpty(store))
    assert.deepEqual(await activitiesOf(store), ['failed instance.lifecycle_busy'])
  },
)

forEachDialect(
  'a stop gives work in flight back, and another gateway does it without a lease to wait for',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const begun = Promise.withResolvers<void>()
    const endless = workKind({
      name: counted.name,
      payload: z.unknown(),
      async run(call) {
        begun.resolve()
        await clock.sleep(60_000, call.signal)
        call.signal.throwIfAborted()
      },
    })
    const first = start(store, [endless])
    await store.work.add({ kind: counted.name, payload: { name: 'sample' }, dueAt: clock.now() })
    await begun.promise
    const drained = first.runner.drain()
    first.closing.abort()
    await drained
    const [row] = await store.db.selectFrom('work').select(['status', 'attempts', 'token']).execute()
    assert.deepEqual(row, { status: 'waiting', attempts: 0, token: null })
    await using _second = start(store, [counted], 'two')
    await until(() => isEmpty(store))
    assert.equal((await activitiesOf(store)).at(-1), 'succeeded')
  },
)

forEachDialect(
  'work that takes long holds up only its like where it has places of its own, and has them where all others are taken',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const seen = { running: 0, most: 0 }
    const gate = Promise.withResolvers<void>()
    const waiting = (name: string, given: Partial<WorkKind> = {}): WorkKind =>
      workKind({
        name,
        payload: z.unknown(),
        async run() {
          seen.running += 1
          seen.most = Math.max(seen.most, seen.running)
          await gate.promise
          seen.running -= 1
        },
        ...given,
      })
    const add = (kind: string, payload: unknown = null) =>
      store.work.add({ kind, payload, dueAt: clock.now() })
    const isDone = (kind: string) => async (): Promise<boolean> =>
      (await store.db.selectFrom('work').select('id').where('kind', '=', kind).execute()).length === 0
    for (let index = 0; index < 5; index += 1) await add('sample:long')
    await add(counted.name, { name: 'beside what takes long' })
    const kinds = [waiting('sample:long', { places: 2 }), counted, waiting('sample:shared')]
    await using _ = start(store, [...kinds, { ...counted, name: 'sample:own', places: 1 }])
    await until(isDone(counted.name))
    assert.deepEqual(seen, { running: 2, most: 2 })
    for (let index = 0; index < 9; index += 1) await add('sample:shared')
    await until(async () => seen.running === 10)
    await add('sample:own', { name: 'beside all others' })
    await until(isDone('sample:own'))
    assert.equal(seen.most, 10)
    gate.resolve()
    await until(() => isEmpty(store))
  },
)

forEachDialect('a tick of the fleet runs in one gateway at a time', async (dialect) => {
  await using database = await makeTestDatabase(dialect)
  await using one = await openTestStore({ database, gatewayId: 'one' })
  await using two = await openTestStore({ database, gatewayId: 'two' })
  const seen = { running: 0, most: 0, runs: 0 }
  const tick = workKind({
    name: 'sample:tick',
    payload: z.null(),
    everySeconds: 0.05,
    unrecorded: 'tick',
    async run() {
      seen.running += 1
      seen.most = Math.max(seen.most, seen.running)
      await clock.sleep(20)
      seen.running -= 1
      seen.runs += 1
    },
  })
  await using _one = start(one, [tick], 'one')
  await using _two = start(two, [tick], 'two')
  await until(async () => seen.runs >= 5)
  assert.equal(seen.most, 1)
  assert.deepEqual(await activitiesOf(one), [])
  const rows = await one.db.selectFrom('work').select('key').execute()
  assert.deepEqual(rows, [{ key: 'tick' }])
})

forEachDialect(
  'a clock that is set back holds up neither ticks nor what was due before or failed, and hastens nothing else',
  async (dialect) => {
    const setBack = { milliseconds: 0 }
    const own = { ...clock, now: () => new Date(clock.now().getTime() - setBack.milliseconds) }
    await using store = await openTestStore({ dialect, clock: own })
    const gate = Promise.withResolvers<void>()
    const runs: string[] = []
    const kind = (name: string, given: Partial<WorkKind> = {}): WorkKind =>
      workKind({ name, payload: z.unknown(), run: async () => void runs.push(name), ...given })
    const kinds = [
      kind('sample:tick', { everySeconds: 0.3, unrecorded: 'tick', payload: z.null() }),
      kind('sample:long', { places: 1, run: () => (runs.push('sample:long'), gate.promise) }),
      kind('sample:flaky', {
        pauseSeconds: () => 900,
        run: async () => {
          runs.push('sample:flaky')
          throw fail('node.unreachable')
        },
      }),
      kind('sample:later'),
    ]
    const add = (name: string, seconds = 0) =>
      store.work.add({ kind: name, payload: null, dueAt: new Date(own.now().getTime() + seconds * 1000) })
    const count = (name: string): number => runs.filter((run) => run === name).length
    await using _ = start(store, kinds, 'one', own)
    for (const name of ['sample:long', 'sample:long', 'sample:flaky']) await add(name)
    await add('sample:later', 60)
    await until(async () => count('sample:tick') > 0 && count('sample:long') + count('sample:flaky') === 2)
    setBack.milliseconds = 3_600_000
    const ticks = count('sample:tick')
    gate.resolve()
    await until(async () => count('sample:tick') > ticks + 1)
    await until(async () => count('sample:long') === 2 && count('sample:flaky') === 2)
    assert.equal(count('sample:later'), 0)
  },
)

test('pauses double from five seconds to a quarter of an hour, and those of a tick to its interval', () => {
  const pauses = (kind: WorkKind) => [1, 2, 3, 8, 9, 2000].map((attempt) => pauseSecondsOf(kind, attempt))
  assert.deepEqual(pauses(counted), [5, 10, 20, 640, 900, 900])
  assert.deepEqual(pauses({ ...counted, everySeconds: 60 }), [5, 10, 20, 60, 60, 60])
})
