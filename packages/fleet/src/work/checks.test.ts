import assert from 'node:assert/strict'
import { SshFailure } from '@fleet/ssh'
import {
  addGatewayNode,
  addNode,
  asCaller,
  fakeCall,
  FakeClock,
  forEachDialect,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'

// Records are checked of a Node that does not answer, too.
const silent = {
  ...localPool({ home: '/nowhere' }),
  probe: () => Promise.reject(new SshFailure('unreachable', false)),
}

forEachDialect(
  'Doctor names background work that failed and work that nobody runs, until it is repeated and done',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const gateway = await addGatewayNode(store)
    const other = await addNode(store)
    const { doctor } = testDomains({ store, clock, ssh: silent })
    const issues = async (node_id: number) => {
      const call = fakeCall({ caller: asCaller(gateway, true) })
      const { data } = await doctor.handlers['doctor:run']({ call, input: { node_id, families: ['node'] } })
      const all = data.nodes.flatMap(({ families }) => families.flatMap((family) => family.issues))
      return all
        .filter(({ resource_type }) => resource_type === 'work')
        .map(({ code, resource_name, observed }) => `${code} ${resource_name}: ${observed}`)
    }
    const claim = async () =>
      (await store.work.claim({ kinds: ['sample:push'], leaseSeconds: 60 })) ?? assert.fail('nothing is due')
    await store.work.add({ kind: 'sample:push', key: '7', payload: null, dueAt: clock.now() })
    const failing = await claim()
    await store.transaction((db) => failing.bury(db, 'node.unreachable'))
    failing[Symbol.dispose]()
    await store.work.add({ kind: 'sample:pull', payload: null, dueAt: clock.now() })
    const dead = 'node.background_work_failed sample:push 7: node.unreachable after 1 attempts'
    assert.deepEqual(await issues(gateway.id), [dead])
    assert.deepEqual(await issues(other.id), [])
    clock.advance(16 * 60_000)
    assert.deepEqual(await issues(gateway.id), [
      dead,
      'node.background_work_overdue sample:pull: due for 16 minutes',
    ])
    assert.equal(await store.work.retryFailed(), 1)
    const repeated = await claim()
    assert.equal(repeated.attempts, 1)
    await store.transaction((db) => repeated.done(db))
    repeated[Symbol.dispose]()
    assert.deepEqual(await issues(gateway.id), [
      'node.background_work_overdue sample:pull: due for 16 minutes',
    ])
  },
)

forEachDialect(
  'a tick that fails five times in a row is named, and once it succeeds no more',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    await store.work.add({ kind: 'sample:tick', key: 'tick', payload: null, dueAt: clock.now() })
    const troubled = () =>
      store.work.listTroubled({ failedAttempts: 5, overdueSince: new Date(clock.now().getTime() - 1) })
    const attempt = async (end: 'retry' | 'repeat') => {
      const work =
        (await store.work.claim({ kinds: ['sample:tick'], leaseSeconds: 60 })) ?? assert.fail('not due')
      const { [end]: finish } = {
        retry: () => store.transaction((db) => work.retry(db, clock.now(), 'node.unreachable')),
        repeat: () => store.transaction((db) => work.repeat(db, clock.now())),
      }
      await finish()
      work[Symbol.dispose]()
    }
    for (let count = 0; count < 4; count += 1) await attempt('retry')
    assert.deepEqual(await troubled(), [])
    await attempt('retry')
    assert.deepEqual(
      (await troubled()).map(({ trouble, attempts }) => [trouble, attempts]),
      [['failing', 5]],
    )
    await attempt('repeat')
    assert.deepEqual(await troubled(), [])
  },
)

forEachDialect(
  'what others have locked is not called failed while it is tried again, and is once it no longer is',
  async (dialect) => {
    const clock = new FakeClock()
    await using store = await openTestStore({ dialect, clock })
    const gateway = await addGatewayNode(store)
    const { doctor } = testDomains({ store, clock, ssh: silent })
    const observed = async () => {
      const call = fakeCall({ caller: asCaller(gateway, true) })
      const input = { node_id: gateway.id, families: ['node' as const] }
      const { data } = await doctor.handlers['doctor:run']({ call, input })
      const all = data.nodes.flatMap(({ families }) => families.flatMap((family) => family.issues))
      return all.filter(({ resource_type }) => resource_type === 'work').map((issue) => issue.observed)
    }
    await store.work.add({ kind: 'sample:push', payload: null, dueAt: clock.now() })
    const attempt = async (code: string, end: 'retry' | 'bury' = 'retry') => {
      using work =
        (await store.work.claim({ kinds: ['sample:push'], leaseSeconds: 60 })) ?? assert.fail('not due')
      await store.transaction((db) =>
        end === 'bury' ? work.bury(db, code) : work.retry(db, clock.now(), code),
      )
    }
    for (let count = 0; count < 5; count += 1) await attempt('node_role.node_busy')
    assert.deepEqual(await observed(), [])
    await attempt('node.unreachable')
    assert.deepEqual(await observed(), ['node.unreachable after 6 attempts'])
    await attempt('tool.operation_locked')
    assert.deepEqual(await observed(), [])
    await attempt('node_role.node_busy', 'bury')
    assert.deepEqual(await observed(), ['node_role.node_busy after 8 attempts'])
  },
)
