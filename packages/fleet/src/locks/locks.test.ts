import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, Deadline, nextTurn } from '@fleet/kernel'
import { LockBusy, type LockRequest } from '@fleet/store'
import { fakeCall, FakeClock, fakeLock, openTestStore } from '@fleet/testing'
import {
  type BusyLockKind,
  CallLocks,
  holding,
  type NamedLock,
  lockOf,
  LockOrderViolation,
  LOCKS,
} from '#/locks/api.ts'

/** Locks that are always free, and what was asked of them. */
function freeLocks() {
  const requests: LockRequest[] = []
  const gone = new Set<string>()
  const acquire = async (request: LockRequest) => {
    requests.push(request)
    return fakeLock(request, () => !gone.has(request.name))
  }
  return { requests, gone, store: { locks: { acquire, holderOf: async () => undefined } } }
}

const inside = (outer: NamedLock, inner: NamedLock): Promise<void> => {
  const { store } = freeLocks()
  const call = fakeCall()
  return holding(store, call, outer, () => holding(store, call, inner, async () => undefined))
}

test('a lock is taken only after those before it in the table, and of its kind after those of lower ids', async () => {
  await inside(lockOf('nodeName', 'web-1'), lockOf('nodeRoles', 7))
  await inside(lockOf('nodeRoles', 9), lockOf('nodeRoles', 10))
  await inside(lockOf('databaseServer', 'a'), lockOf('databaseServer', 'b'))
  await assert.rejects(inside(lockOf('nodeRoles', 10), lockOf('nodeRoles', 9)), LockOrderViolation)
  await assert.rejects(
    inside(lockOf('databaseServer', 'b'), lockOf('databaseServer', 'a')),
    LockOrderViolation,
  )
  await assert.rejects(inside(lockOf('nodeRoles', 7), lockOf('cluster', 1)), LockOrderViolation)
})

test('a lock that waits is not taken again by the call that holds it: it would wait for itself', async () => {
  for (const lock of [lockOf('nodeRoles', 7), lockOf('databaseServer', 'main')])
    await assert.rejects(inside(lock, lock), LockOrderViolation)
})

test('whoever does not wait may take any lock, because nobody can be waiting for it', async () => {
  await inside(lockOf('nodeRoles', 7), lockOf('nodeName', 'web-1'))
  await inside(lockOf('nodeName', 'web-2'), lockOf('nodeName', 'web-1'))
})

test('a lock that was given back is forgotten', async () => {
  const { store } = freeLocks()
  const call = fakeCall()
  await holding(store, call, lockOf('nodeRoles', 7), async () => undefined)
  await holding(store, call, lockOf('cluster', 1), async () => undefined)
})

test('the wait is that of the table or the rest of the time of the request, the term that of the table', async () => {
  const { store, requests } = freeLocks()
  for (const seconds of [570, 50, 20, 3])
    await holding(
      store,
      fakeCall({ deadline: new Deadline(new FakeClock(), seconds, 20) }),
      lockOf('cluster', 1),
      async () => undefined,
    )
  assert.deepEqual(
    requests.map(({ waitMilliseconds, leaseSeconds }) => [waitMilliseconds, leaseSeconds]),
    [
      [30_000, 600],
      [30_000, 600],
      [0, 600],
      [0, 600],
    ],
  )
})

test('whoever publishes projections or changes a Router waits 30 s, then is refused with the code of the lock [LIM-017, RTE-185]', async () => {
  for (const [lock, code] of [
    [lockOf('names', 0), 'app-dev.projection_busy'],
    [lockOf('cluster', 1), 'cluster.router_busy'],
  ] as const) {
    const waits: number[] = []
    const acquire = async (request: LockRequest): Promise<never> => {
      waits.push(request.waitMilliseconds)
      throw new LockBusy(request.name, undefined)
    }
    const store = { locks: { acquire, holderOf: async () => undefined } }
    await assert.rejects(
      holding(store, fakeCall(), lock, async () => undefined),
      { code, status: 409 },
    )
    assert.deepEqual(waits, [30_000])
  }
})

test('the lock of a Router is renewed while remote work outlasts its term and the time of the request [RTX-074]', async () => {
  const clock = new FakeClock()
  await using store = await openTestStore({ clock })
  const call = () => fakeCall({ deadline: new Deadline(clock, 570, 20) })
  const first = call()
  await holding(store, first, lockOf('cluster', 1), async () => {
    for (let second = 0; second < 2 * LOCKS.cluster.termSeconds; second += 30) {
      clock.advance(30_000)
      for (let round = 0; round < 20; round += 1) await store.locks.holderOf('nothing')
      await nextTurn()
    }
    first.locks.requireHeld()
    const competitor = { name: 'cluster:1:router', operation: 'cluster:update', requestId: 'other' }
    await assert.rejects(
      store.locks.acquire({ ...competitor, waitMilliseconds: 0, leaseSeconds: 60 }),
      LockBusy,
    )
  })
  await holding(store, call(), lockOf('cluster', 1), async () => undefined)
})

test('once any lock of a call is lost, none counts, with the code of the table [GW-045]', async () => {
  const { store, gone } = freeLocks()
  const call = fakeCall()
  await holding(store, call, lockOf('nodeRoles', 7), () =>
    holding(store, call, lockOf('agent', 7), async () => {
      call.locks.requireHeld()
      gone.add('node-agent:7')
      assert.throws(() => call.locks.requireHeld(), { code: 'agent.converge_lock_lost' })
      gone.add('node:7:roles')
      assert.throws(() => call.locks.requireHeld(), { code: 'node.lock_lost' })
    }),
  )
  call.locks.requireHeld()
})

test('a lock that is lost while it is held ends the work with the code of the table [GW-045]', async () => {
  const { store, requests } = freeLocks()
  await holding(store, fakeCall(), lockOf('agent', 7), async () => undefined)
  await holding(store, fakeCall(), lockOf('cluster', 1), async () => undefined)
  const codes = requests.map(({ lost }) => {
    const error = lost?.()
    return error instanceof CodedError ? error.code : error
  })
  assert.deepEqual(codes, ['agent.converge_lock_lost', 'node.lock_lost'])
})

test('a lock that somebody else has is the busy code with the holder; any other failure stays what it is', async () => {
  const holder = { operation: 'node:add', request_id: 'r', since: '2026-01-01T00:00:00.000Z' }
  const failing = (reason: Error) => {
    const acquire = async (): Promise<never> => {
      throw reason
    }
    return { locks: { acquire, holderOf: async () => undefined } }
  }
  const lock = lockOf('cluster', 1)
  const work = async (): Promise<never> => assert.fail('the work began without its lock')
  await assert.rejects(holding(failing(new LockBusy(lock.name, holder)), fakeCall(), lock, work), {
    code: 'cluster.router_busy',
    details: { holder },
  })
  await assert.rejects(holding(failing(new Error('no database')), fakeCall(), lock, work), /no database/)
})

test('each lock is waited for, and outlives a holder that is gone, for its own number of seconds [RTX-073]', async () => {
  const { store, requests } = freeLocks()
  for (const kind of Object.keys(LOCKS)) {
    const lock = lockOf(kind as BusyLockKind, 1, { busy: 'process.operation_busy' }) // A key; `busy` is given to all.
    await holding(store, fakeCall(), lock, async () => undefined)
  }
  assert.deepEqual(
    requests.map(({ name, waitMilliseconds, leaseSeconds }) => [name, waitMilliseconds / 1000, leaseSeconds]),
    [
      ['node-name:1', 0, 3600],
      ['cluster:1:router', 30, 600],
      ['instance:1:lifecycle', 0, 60],
      ['project:1', 0, 600],
      ['instance:1:operation', 30, 60],
      ['node:1:source', 30, 60],
      ['database-server:1', 120, 300],
      ['database:1', 30, 120],
      ['route:1', 30, 60],
      ['node:1:roles', 120, 600],
      ['firewall:1', 30, 600],
      ['tool:1', 0, 600],
      ['node:1:php', 30, 600],
      ['node:1:tool-manager:apt', 0, 600],
      ['node:1:tool-manager:vp', 0, 600],
      ['node:1:tool-manager:composer', 0, 600],
      ['node:1:tool-manager:brew', 0, 600],
      ['node:1:web-server', 30, 300],
      ['process:1', 30, 120],
      ['schedule:1', 30, 120],
      ['node-agent:1', 120, 420],
      ['network-publication', 30, 120],
      ['dnsmasq-projections', 30, 120],
    ],
  )
})

test('a violation is reported to whoever made the call', () => {
  const reported: string[] = []
  const locks = new CallLocks(({ message }) => void reported.push(message))
  const outer = lockOf('names', 0)
  using _ = locks.add(outer, fakeLock(outer))
  locks.requireOrder(lockOf('cluster', 1))
  assert.deepEqual(reported, ['cluster:1:router must be taken before dnsmasq-projections'])
})

test('no two locks have the same name, and those of a record hold its id', () => {
  const names = Object.values(LOCKS).map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.equal(lockOf('apt', 7, { busy: 'node.tool_manager_locked' }).name, 'node:7:tool-manager:apt')
})
