import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '@fleet/kernel'
import { FakeClock, forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { LockBusy, LockLost, type LockRequest, type Store } from '#/index.ts'

const request = (change: Partial<LockRequest> = {}): LockRequest => ({
  name: 'instance:7',
  operation: 'env:update',
  requestId: 'request-1',
  waitMilliseconds: 0,
  leaseSeconds: 60,
  ...change,
})

const busyHolder = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof LockBusy)
    return error.holder
  }
  throw new Error('the lock was free')
}

/** Lets everything that is ready run, without time going by. */
const settle = async (store: Store): Promise<void> => {
  for (let round = 0; round < 5; round += 1) await store.locks.holderOf('nothing')
  await nextTurn()
}

/** Goes on until it is so; a database of its own process answers when it likes. */
const until = async (store: Store, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (let round = 0; round < 200; round += 1) {
    if (await isSo()) return
    await settle(store)
  }
  assert.fail('it did not come true')
}

/** Lets time go by in steps of a second until the work is done. */
const elapse = async <T>(store: Store, clock: FakeClock, work: Promise<T>): Promise<T> => {
  let done = false
  const ended = work.finally(() => (done = true))
  await until(store, () => {
    clock.advance(1000)
    return done
  })
  return ended
}

const HOLDER = { operation: 'env:update', request_id: 'request-1', since: '2026-01-02T03:04:05.000Z' }

forEachDialect('a held lock is busy for others, who learn the holder', async (dialect) => {
  await using store = await openTestStore({ dialect, clock: new FakeClock() })
  {
    await using lock = await store.locks.acquire(request())
    assert.equal(lock.held, true)
    assert.deepEqual(await store.locks.holderOf('instance:7'), HOLDER)
    assert.deepEqual(await busyHolder(store.locks.acquire(request({ requestId: 'request-2' }))), HOLDER)
  }
  assert.equal(await store.locks.holderOf('instance:7'), undefined)
  await using again = await store.locks.acquire(request({ requestId: 'request-2' }))
  assert.equal(again.held, true)
})

forEachDialect('of two who ask at the same moment, the one refused learns of the other', async (dialect) => {
  await using store = await openTestStore({ dialect, clock: new FakeClock() })
  const first = store.locks.acquire(request())
  const second = busyHolder(store.locks.acquire(request({ requestId: 'request-2' })))
  assert.deepEqual(await second, HOLDER)
  await using lock = await first
  assert.equal(lock.held, true)
})

forEachDialect('another name never waits', async (dialect) => {
  await using store = await openTestStore({ dialect, clock: new FakeClock() })
  await using first = await store.locks.acquire(request())
  await using second = await store.locks.acquire(request({ name: 'instance:8' }))
  assert.deepEqual([first.held, second.held], [true, true])
})

forEachDialect('those who wait are served first come, first served', async (dialect) => {
  await using store = await openTestStore({ dialect, clock: new FakeClock() })
  const served: string[] = []
  const wait = async (requestId: string): Promise<void> => {
    await using _ = await store.locks.acquire(request({ requestId, waitMilliseconds: 30_000 }))
    served.push(requestId)
    assert.equal((await store.locks.holderOf('instance:7'))?.request_id, requestId)
  }
  const first = await store.locks.acquire(request())
  const waiting = ['a', 'b', 'c', 'd'].map(wait)
  await settle(store)
  assert.deepEqual(served, [])
  await first[Symbol.asyncDispose]()
  await Promise.all(waiting)
  assert.deepEqual(served, ['a', 'b', 'c', 'd'])
})

forEachDialect(
  'a wait ends with the holder when its time is over, and the others keep their place',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const first = await store.locks.acquire(request({ leaseSeconds: 600 }))
    const short = busyHolder(store.locks.acquire(request({ waitMilliseconds: 30_000 })))
    const long = store.locks.acquire(request({ requestId: 'request-3', waitMilliseconds: 60_000 }))
    await settle(store)
    clock.advance(30_000)
    assert.deepEqual(await short, HOLDER)
    await first[Symbol.asyncDispose]()
    await using lock = await long
    assert.equal(lock.held, true)
  },
)

forEachDialect('an aborted wait ends with the reason of its signal', async (dialect) => {
  await using store = await openTestStore({ dialect, clock: new FakeClock() })
  await using _ = await store.locks.acquire(request())
  const abort = new AbortController()
  const waiting = store.locks.acquire(request({ waitMilliseconds: 30_000, signal: abort.signal }))
  await settle(store)
  abort.abort(new Error('client gone'))
  await assert.rejects(waiting, /client gone/)
  await assert.rejects(store.locks.acquire(request({ name: 'free', signal: abort.signal })), /client gone/)
})

forEachDialect(
  'a turn that comes together with the abort of its request continues to the next',
  async (dialect) => {
    await using store = await openTestStore({ dialect, clock: new FakeClock() })
    const abort = new AbortController()
    const early = store.locks.acquire(request({ signal: abort.signal }))
    abort.abort(new Error('client gone'))
    await assert.rejects(early, /client gone/)
    await using lock = await store.locks.acquire(request({ requestId: 'request-2' }))
    assert.equal(lock.held, true)
  },
)

forEachDialect('a held lock is renewed for as long as it is held', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  await using lock = await store.locks.acquire(request({ leaseSeconds: 60 }))
  const expiresAt = async (): Promise<string | undefined> =>
    (await store.db.selectFrom('locks').select('expires_at').executeTakeFirst())?.expires_at
  for (let renewal = 1; renewal <= 9; renewal += 1) {
    const before = await expiresAt()
    await until(store, async () => {
      clock.advance(1000)
      return (await expiresAt()) !== before
    })
    assert.equal(lock.held, true)
  }
  assert.ok(clock.now().toISOString() >= '2026-01-02T03:07:05.000Z', 'three leases have gone by')
  assert.deepEqual(await store.locks.holderOf('instance:7'), HOLDER)
})

test('a lock whose lease could not be renewed does not count as held', async () => {
  const clock = new FakeClock()
  const store = await openTestStore({ clock })
  const lock = await store.locks.acquire(request({ leaseSeconds: 60 }))
  await store[Symbol.asyncDispose]()
  clock.advance(59_999)
  assert.equal(lock.held, true)
  assert.doesNotThrow(() => lock.requireHeld())
  clock.advance(1)
  assert.equal(lock.held, false)
  assert.throws(() => lock.requireHeld(), LockLost)
})

// A SQLite file belongs to one gateway; the rows are the same on both dialects.
forEachDialect(
  'a gateway takes the lock of another when that gives it back',
  ['postgres'],
  async (dialect) => {
    const clock = new FakeClock()
    await using database = await makeTestDatabase(dialect)
    await using one = await openTestStore({ database, clock, gatewayId: 'one' })
    await using two = await openTestStore({ database, clock, gatewayId: 'two' })
    const held = await one.locks.acquire(request())
    assert.deepEqual(await busyHolder(two.locks.acquire(request())), HOLDER)
    const waiting = two.locks.acquire(request({ requestId: 'request-2', waitMilliseconds: 30_000 }))
    await settle(two)
    await held[Symbol.asyncDispose]()
    clock.advance(200)
    await using lock = await waiting
    assert.equal(lock.held, true)
    assert.equal((await one.locks.holderOf('instance:7'))?.request_id, 'request-2')
  },
)

forEachDialect('the lock of a gateway that is gone is free after its lease', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  await store.db.insertInto('locks').values(rowOfDeadGateway).execute()
  assert.equal((await store.locks.holderOf('instance:7'))?.operation, 'instance:destroy')
  await using lock = await elapse(store, clock, store.locks.acquire(request({ waitMilliseconds: 120_000 })))
  assert.equal(lock.held, true)
  assert.ok(clock.now().toISOString() >= rowOfDeadGateway.expires_at)
})

const rowOfDeadGateway = {
  name: 'instance:7',
  token: 'its token',
  gateway: 'dead',
  operation: 'instance:destroy',
  request_id: 'request-0',
  since: '2026-01-02T03:04:05.000Z',
  expires_at: '2026-01-02T03:05:05.000Z',
}

forEachDialect('a lock lost to another holder says so and is not released', async (dialect) => {
  const clock = new FakeClock()
  await using store = await openTestStore({ dialect, clock })
  const lock = await store.locks.acquire(request())
  await store.db
    .updateTable('locks')
    .set({ ...rowOfDeadGateway, expires_at: '2026-01-02T04:04:05.000Z' })
    .execute()
  clock.advance(20_000)
  await until(store, () => !lock.held)
  await lock[Symbol.asyncDispose]()
  assert.equal((await store.locks.holderOf('instance:7'))?.operation, 'instance:destroy')
})

forEachDialect(
  'a restarted gateway ends the locks of its killed predecessor, and no others',
  async (dialect) => {
    const clock = new FakeClock()
    await using database = await makeTestDatabase(dialect)
    {
      await using killed = await openTestStore({ database, clock, gatewayId: 'one' })
      await killed.locks.acquire(request())
      await killed.locks.acquire(request({ name: 'instance:8' }))
      await killed.db
        .insertInto('locks')
        .values({ ...rowOfDeadGateway, name: 'instance:9' })
        .execute()
    }
    await using restarted = await openTestStore({ database, clock, gatewayId: 'one' })
    await using lock = await restarted.locks.acquire(request())
    assert.equal(lock.held, true)
    assert.deepEqual(await restarted.db.selectFrom('locks').select('name').orderBy('name').execute(), [
      { name: 'instance:7' },
      { name: 'instance:9' },
    ])
  },
)

test('a lock given back twice frees only its own turn', async () => {
  await using store = await openTestStore({ clock: new FakeClock() })
  const first = await store.locks.acquire(request())
  const second = store.locks.acquire(request({ requestId: 'request-2', waitMilliseconds: 1000 }))
  await settle(store)
  await Promise.all([first[Symbol.asyncDispose](), first[Symbol.asyncDispose]()])
  await using held = await second
  assert.equal(held.held, true)
  await first[Symbol.asyncDispose]()
  assert.equal((await store.locks.holderOf('instance:7'))?.request_id, 'request-2')
})
