import assert from 'node:assert/strict'
import { Deadline } from '@fleet/kernel'
import type { HeldLock, LockRequest } from '@fleet/store'
import {
  addCluster,
  addNode,
  type ClustersFleet,
  fakeCall,
  FakeClock,
  fakeLock,
  fakeClusterRoutes,
  fakeRouterServices,
  forEachDialect,
  startClustersFleet,
  testDomains,
} from '@fleet/testing'

type Lookup = (request: LockRequest) => Promise<HeldLock>

/** The domain over the same records with locks that a test decides. */
function withLocks(fleet: ClustersFleet, acquire: Lookup) {
  const store = { ...fleet.store, locks: { acquire, holderOf: fleet.store.locks.holderOf } }
  const routes = fakeClusterRoutes()
  const services = fakeRouterServices()
  const fakes = { clusterRoutes: routes, routerServices: services }
  const { handlers } = testDomains({ store, clock: new FakeClock() }, fakes).clusters
  return { handlers, routes, services }
}

const call = (secondsLeft = 570) => fakeCall({ deadline: new Deadline(new FakeClock(), secondsLeft, 20) })

type Handlers = ClustersFleet['clusters']['handlers']
const CHANGES: Readonly<
  Record<
    string,
    (handlers: Handlers, cluster: number, node: number, secondsLeft?: number) => Promise<unknown>
  >
> = {
  'cluster:update': (handlers, cluster, _node, left) =>
    handlers['cluster:update']({ call: call(left), input: { cluster, state: 'active' } }),
  'cluster:destroy': (handlers, cluster, _node, left) =>
    handlers['cluster:destroy']({ call: call(left), input: { cluster } }),
  'cluster:node:attach': (handlers, cluster, node, left) =>
    handlers['cluster:node:attach']({ call: call(left), input: { cluster, node } }),
  'cluster:node:detach': (handlers, cluster, node, left) =>
    handlers['cluster:node:detach']({ call: call(left), input: { cluster, node } }),
  'cluster:router:set': (handlers, cluster, node, left) =>
    handlers['cluster:router:set']({ call: call(left), input: { cluster, node } }),
  'cluster:router:clear': (handlers, cluster, _node, left) =>
    handlers['cluster:router:clear']({ call: call(left), input: { cluster } }),
}

for (const [operation, ask] of Object.entries(CHANGES)) {
  forEachDialect(
    `${operation} waits 30 s for the Cluster, or what its time leaves, and then is busy [CLU-022, RTE-186]`,
    async (dialect) => {
      await using fleet = await startClustersFleet(dialect)
      const node = await addNode(fleet.store)
      const { id } = await addCluster(fleet.store)
      const asked: LockRequest[] = []
      const { handlers } = withLocks(fleet, (request) => {
        asked.push(request)
        return fleet.store.locks.acquire({ ...request, waitMilliseconds: 0 })
      })
      await using _held = await fleet.store.locks.acquire({
        name: `cluster:${id}:router`,
        operation: 'cluster:router:set',
        requestId: 'request-1',
        waitMilliseconds: 0,
        leaseSeconds: 60,
      })
      for (const left of [570, 32, 10]) {
        await assert.rejects(ask(handlers, id, node.id, left), ({ code, status, details }) => {
          assert.deepEqual([code, status], ['cluster.router_busy', 409])
          assert.equal(details.holder.operation, 'cluster:router:set')
          return true
        })
      }
      assert.deepEqual(
        asked.map(({ waitMilliseconds }) => waitMilliseconds),
        [30_000, 12_000, 0],
      )
    },
  )
}

forEachDialect('nothing is stored once the Cluster belongs to another request [GW-045]', async (dialect) => {
  await using fleet = await startClustersFleet(dialect)
  const node = await addNode(fleet.store)
  const { id } = await addCluster(fleet.store, { state: 'active' })
  let held = true
  const { handlers, routes, services } = withLocks(fleet, async (request) => fakeLock(request, () => held))
  routes.onPublish = async () => void (held = false)
  const attached = handlers['cluster:node:attach']({ call: call(), input: { cluster: id, node: node.id } })
  await assert.rejects(attached, { code: 'node.lock_lost' })
  assert.equal((await fleet.nodes.nodes.find(node.id))?.cluster_id, null)
  assert.equal(routes.published.length, 1)
  held = true
  await fleet.store.db.updateTable('nodes').set({ cluster_id: id }).execute()
  services.onCall = async () => void (held = false)
  const set = handlers['cluster:router:set']({ call: call(), input: { cluster: id, node: node.id } })
  await assert.rejects(set, { code: 'node.lock_lost' })
  assert.deepEqual(
    [services.done, (await fleet.clusters.clusters.find(id))?.members[0]?.routerStatus],
    [[], null],
  )
})
