import assert from 'node:assert/strict'
import { nextTurn } from '@fleet/kernel'
import { FakeClock, forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { type ClaimedWork, type Database, type NewWork, type Store, WorkLost } from '#/index.ts'

const KINDS = ['sample:push']
const CLAIM = { kinds: KINDS, leaseSeconds: 60 }

const work = (clock: FakeClock, given: Partial<NewWork> = {}): NewWork => ({
  kind: 'sample:push',
  payload: { record: 7 },
  dueAt: clock.now(),
  ...given,
})

const rows = ({ db }: Store) =>
  db.selectFrom('work').select(['key', 'status', 'payload', 'attempts', 'due_at']).orderBy('id').execute()

const claimed = async (store: Store): Promise<ClaimedWork> => {
  const found = await store.work.claim(CLAIM)
  assert.ok(found)
  return found
}

const end = (store: Store, piece: ClaimedWork): Promise<void> =>
  store.transaction((db) => piece.done(db)).finally(() => piece[Symbol.dispose]())

forEachDialect('what waits longest is claimed first, once, and is gone when it is done', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  assert.equal(await store.work.claim(CLAIM), undefined)
  await store.work.add(work(clock, { payload: 'late', dueAt: new Date(clock.now().getTime() + 5000) }))
  await store.work.add(work(clock, { payload: 'now', callerNodeId: 4 }))
  assert.deepEqual(await store.work.nextDueAt(KINDS), clock.now())
  assert.equal(await store.work.nextDueAt(['another:kind']), undefined)
  const first = await claimed(store)
  assert.deepEqual([first.payload, first.callerNodeId, first.attempts, first.held], ['now', 4, 1, true])
  assert.equal(await store.work.claim(CLAIM), undefined)
  await end(store, first)
  clock.advance(5000)
  const second = await claimed(store)
  assert.deepEqual([second.payload, second.callerNodeId], ['late', undefined])
  await end(store, second)
  assert.deepEqual(await rows(store), [])
})

forEachDialect('processes that claim at once get different pieces', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  for (let index = 0; index < 20; index += 1) await store.work.add(work(clock, { payload: index }))
  const all = await Promise.all(Array.from({ length: 25 }, () => store.work.claim(CLAIM)))
  const pieces = all.filter((piece) => piece !== undefined)
  assert.equal(new Set(pieces.map(({ payload }) => payload)).size, pieces.length)
  assert.ok(pieces.length >= 10)
  for (const piece of pieces) piece[Symbol.dispose]()
})

forEachDialect(
  'added twice under a key it is one piece: the later payload, the earlier time',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const later = new Date(clock.now().getTime() + 60_000)
    await store.work.add(work(clock, { key: 'a', payload: 1 }))
    await store.work.add(work(clock, { key: 'a', payload: 2, dueAt: later }))
    await store.work.add(work(clock, { key: 'b', payload: 3, dueAt: later }))
    await store.work.add(work(clock, { key: 'b', payload: 4 }))
    const due_at = clock.now().toISOString()
    const row = { status: 'waiting', attempts: 0, due_at }
    assert.deepEqual(await rows(store), [
      { key: 'a', payload: '2', ...row },
      { key: 'b', payload: '4', ...row },
    ])
  },
)

forEachDialect(
  'work that postpones has its own time, whichever is earlier, and says when it is due while it runs',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const inSeconds = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000)
    const due = () => store.work.dueAt('sample:push', 'a')
    assert.equal(await due(), undefined)
    await store.work.add(work(clock, { key: 'a' }))
    for (const seconds of [300, 31]) {
      const dueAt = inSeconds(seconds)
      await store.work.add(work(clock, { key: 'a', dueAt, postpones: true }))
      assert.deepEqual(await due(), dueAt)
    }
    clock.advance(31_000)
    const first = await claimed(store)
    assert.deepEqual(await due(), clock.now())
    const dueAt = inSeconds(31)
    await store.work.add(work(clock, { key: 'a', dueAt, postpones: true }))
    assert.deepEqual(await due(), dueAt)
    await end(store, first)
    assert.equal(await store.work.claim(CLAIM), undefined, 'not before its time')
    assert.deepEqual(await due(), dueAt)
  },
)

forEachDialect(
  'work that was postponed while it ran waits for that time, however it ends: taken over, given back, tried again or for the last time',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const begun = async (): Promise<readonly [ClaimedWork, Date]> => {
      await store.work.add(work(clock, { key: 'a', dueAt: clock.now(), postpones: true }))
      const piece = await claimed(store)
      const later = new Date(clock.now().getTime() + 300_000)
      await store.work.add(work(clock, { key: 'a', dueAt: later, postpones: true }))
      return [piece, later]
    }
    const waits = async (later: Date): Promise<void> => {
      assert.deepEqual(await store.work.dueAt('sample:push', 'a'), later)
      assert.equal(await store.work.claim(CLAIM), undefined)
    }
    const [dead, first] = await begun()
    dead[Symbol.dispose]()
    clock.advance(60_000)
    await end(store, await claimed(store))
    await waits(first)
    for (const ending of [
      (piece: ClaimedWork, db: Database) => piece.returned(db),
      (piece: ClaimedWork, db: Database) => piece.retry(db, clock.now(), 'node.unreachable'),
      (piece: ClaimedWork, db: Database) => piece.bury(db, 'node.not_found'),
    ]) {
      const [piece, later] = await begun()
      await store.transaction((db) => ending(piece, db))
      piece[Symbol.dispose]()
      await waits(later)
      assert.deepEqual(await store.work.listDead(), [])
    }
  },
)

forEachDialect('added again while it runs, it runs once more under a new request id', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  await store.work.add(work(clock, { key: 'a', payload: 1 }))
  const first = await claimed(store)
  await store.work.add(work(clock, { key: 'a', payload: 2 }))
  assert.equal(await store.work.claim(CLAIM), undefined)
  await end(store, first)
  const second = await claimed(store)
  assert.deepEqual([second.payload, second.attempts], [2, 1])
  assert.notEqual(second.requestId, first.requestId)
  await end(store, second)
  assert.deepEqual(await rows(store), [])
})

forEachDialect(
  'failed work waits for its time, dies when it is buried and starts over when added',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    await store.work.add(work(clock, { key: 'a' }))
    const first = await claimed(store)
    const dueAt = new Date(clock.now().getTime() + 10_000)
    await store.transaction((db) => first.retry(db, dueAt, 'node.unreachable'))
    first[Symbol.dispose]()
    assert.deepEqual(await store.work.nextDueAt(KINDS), dueAt)
    assert.equal(await store.work.claim(CLAIM), undefined)
    clock.advance(10_000)
    const second = await claimed(store)
    assert.deepEqual([second.attempts, second.requestId], [2, first.requestId])
    await store.transaction((db) => second.bury(db, 'node.not_found'))
    second[Symbol.dispose]()
    const [dead] = await store.work.listDead()
    assert.deepEqual(
      [dead?.kind, dead?.key, dead?.attempts, dead?.errorCode],
      ['sample:push', 'a', 2, 'node.not_found'],
    )
    assert.equal(await store.work.nextDueAt(KINDS), undefined)
    await store.work.add(work(clock, { key: 'a' }))
    assert.deepEqual(await store.work.listDead(), [])
    const again = await claimed(store)
    assert.equal(again.attempts, 1)
    await end(store, again)
  },
)

forEachDialect('work given back does not count as tried', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  await store.work.add(work(clock))
  const first = await claimed(store)
  await store.transaction((db) => first.returned(db))
  first[Symbol.dispose]()
  const second = await claimed(store)
  assert.equal(second.attempts, 1)
  await end(store, second)
})

forEachDialect(
  'whoever takes over the work of a dead process ends it, and the dead one cannot',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    await store.work.add(work(clock))
    const dead = await claimed(store)
    dead[Symbol.dispose]()
    clock.advance(59_999)
    assert.equal(await store.work.claim(CLAIM), undefined)
    clock.advance(1)
    const living = await claimed(store)
    assert.deepEqual([living.attempts, living.requestId], [2, dead.requestId])
    const fact = { name: 'written', value: 'with the end' }
    const late = store.transaction(async (db) => {
      await db.insertInto('facts').values(fact).execute()
      await dead.done(db)
    })
    await assert.rejects(late, WorkLost)
    await store.transaction((db) => dead.returned(db))
    assert.equal(living.held, true)
    await end(store, living)
    assert.deepEqual(await rows(store), [])
    const written = await store.db.selectFrom('facts').select('name').where('name', '=', 'written').execute()
    assert.deepEqual(written, [])
  },
)

forEachDialect(
  'a process whose clock went on without it claims nothing that it has in hand, until it lets go of it',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    // Nobody renews the lease while the machine sleeps.
    clock.sleep = () => new Promise(() => undefined)
    await store.work.add(work(clock, { payload: 'in hand' }))
    const first = await claimed(store)
    await store.work.add(work(clock, { payload: 'another' }))
    clock.advance(3_600_000)
    const other = await claimed(store)
    assert.equal(other.payload, 'another')
    assert.equal(await store.work.claim(CLAIM), undefined)
    first[Symbol.dispose]()
    const again = await claimed(store)
    assert.deepEqual([again.payload, again.attempts], ['in hand', 2])
    await end(store, again)
    await end(store, other)
  },
)

forEachDialect(
  'by a clock that was set back is due what was due before, and what waits after a failure, and nothing else',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const reached = clock.now()
    const inSeconds = (seconds: number): Date => new Date(reached.getTime() + seconds * 1000)
    await store.work.add(work(clock, { key: 'failed', dueAt: inSeconds(-1) }))
    const failed = await claimed(store)
    await store.transaction((db) => failed.retry(db, inSeconds(900), 'node.unreachable'))
    failed[Symbol.dispose]()
    await store.work.add(work(clock, { key: 'running', dueAt: inSeconds(-1) }))
    using _ = await claimed(store)
    await store.work.add(work(clock, { key: 'due' }))
    await store.work.add(work(clock, { key: 'later', dueAt: inSeconds(1) }))
    await store.work.add(work(clock, { key: 'long ago', dueAt: inSeconds(-7200) }))
    clock.setBack(3_600_000)
    const before = await dueTimes(store)
    await store.work.hasten(reached)
    const now = clock.now().toISOString()
    assert.deepEqual(await dueTimes(store), { ...before, failed: now, due: now })
  },
)

const dueTimes = async (store: Store): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries((await rows(store)).map(({ key, due_at }) => [key ?? '', due_at]))

forEachDialect('work is held for as long as it is renewed, and says when it was lost', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  await store.work.add(work(clock))
  using piece = await claimed(store)
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (let round = 0; round < 500 && !(await isSo()); round += 1) {
      await store.work.listDead()
      await nextTurn()
    }
    assert.ok(await isSo())
  }
  const end = async () => (await store.work.nextDueAt(KINDS))?.getTime() ?? 0
  for (let renewal = 0; renewal < 6; renewal += 1) {
    const before = await end()
    clock.advance(20_000)
    await until(async () => (await end()) > before)
  }
  assert.equal(piece.held, true)
  await store.db.updateTable('work').set({ token: 'of another' }).execute()
  clock.advance(20_000)
  await until(() => piece.lost.aborted)
  assert.equal(piece.held, false)
})

forEachDialect(
  'a gateway that starts leaves the work of its killed predecessor to anybody',
  async (dialect) => {
    const clock = new FakeClock()
    await using database = await makeTestDatabase(dialect)
    {
      await using killed = await openTestStore({ database, clock, gatewayId: 'one' })
      await killed.work.add(work(clock))
      const piece = await claimed(killed)
      piece[Symbol.dispose]()
    }
    await using restarted = await openTestStore({ database, clock, gatewayId: 'one' })
    const piece = await claimed(restarted)
    assert.equal(piece.attempts, 2)
    await end(restarted, piece)
  },
)

forEachDialect('listeners wake when work was added, and not before it is committed', async (dialect) => {
  const clock = new FakeClock()
  await using database = await makeTestDatabase(dialect)
  await using store = await openTestStore({ database, clock, gatewayId: 'one' })
  // Only PostgreSQL is shared by gateways.
  await using other =
    dialect === 'postgres'
      ? await openTestStore({ database, clock, gatewayId: 'two' })
      : { work: store.work, async [Symbol.asyncDispose]() {} }
  const rung = { times: 0 }
  let heard = Promise.withResolvers<void>()
  using _ = other.work.onAdded(() => {
    rung.times += 1
    heard.resolve()
  })
  if (dialect === 'postgres') await heard.promise
  const before = rung.times
  heard = Promise.withResolvers<void>()
  const claiming = store.transaction(async (db) => {
    await store.work.add(work(clock), db)
    await nextTurn()
    if (dialect === 'postgres') assert.equal(rung.times, before)
  })
  await heard.promise
  const piece = await other.work.claim(CLAIM)
  await claiming
  assert.ok(piece)
  piece[Symbol.dispose]()
})
