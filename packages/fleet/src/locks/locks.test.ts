import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError, Deadline } from '@fleet/kernel'
import { LockBusy, type LockRequest } from '@fleet/store'
import { fakeCall, FakeClock, fakeLock } from '@fleet/testing'
import { CallLocks, holding, type NamedLock, lockOf, LockOrderViolation, LOCKS } from '#/locks/api.ts'

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
  await assert.rejects(inside(lockOf('nodeRoles', 10), lockOf('nodeRoles', 9)), LockOrderViolation)
  await assert.rejects(inside(lockOf('nodeRoles', 7), lockOf('cluster', 1)), LockOrderViolation)
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

test('locks of one record wait as long as the requirements say', () => {
  const { instance, instanceLifecycle, nodeRoles } = LOCKS
  assert.deepEqual(
    [instance, instanceLifecycle, nodeRoles].map(({ waitSeconds }) => waitSeconds),
    [30, 0, 120],
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
