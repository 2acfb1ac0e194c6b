import { after } from 'node:test'
import { systemClock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { testStepList } from '@fleet/steps/testing'
import { addCluster, addNode, addRole, fakeCall, openTestStore } from '@fleet/testing'
import type { ClusterRoutes, RouterServices } from '#/clusters/ports.ts'
import { requireCluster } from './locks.ts'
import { type RouterChange, routerChange, routerLog } from './router-steps.ts'

let opened: Promise<Store> | undefined
after(async () => (await opened)?.[Symbol.asyncDispose]())
const open = (): Promise<Store> => (opened ??= openTestStore())

interface Given extends RouterChange {
  /** Nodes that have what a Router needs, by their place in the Cluster. */
  readonly serving: Set<number>
  readonly isSet: boolean
  readonly places: ReadonlyMap<number, string>
}

const routes: Pick<ClusterRoutes, 'settle' | 'followRouter' | 'countOwned'> = {
  countOwned: async () => 0,
  settle: async () => undefined,
  followRouter: async () => undefined,
}

const servicesOf = (serving: Set<number>): RouterServices => ({
  requireCapable: async () => undefined,
  converge: async (_call, _cluster, { id }) => void serving.add(id),
  withdraw: async (_call, _cluster, { id }) => void serving.delete(id),
})

/** A Router, a candidate that failed earlier, and a member that is to follow them, or nobody is. */
async function fresh(isSet: boolean): Promise<Given> {
  const store = await open()
  // One transaction, because each property asks for dozens of them.
  const { id, router, failed, member } = await store.transaction((db) => recordsIn({ ...store, db }))
  const places = new Map([
    [router.id, 'router'],
    [failed.id, 'failed'],
    [member.id, 'member'],
  ])
  return request({ store, id, isSet, places, serving: new Set([router.id]) })
}

async function recordsIn(store: Store) {
  const [router, failed, member] = [await addNode(store), await addNode(store), await addNode(store)]
  await addRole(store, { node_id: router.id, role: 'router' })
  await addRole(store, { node_id: failed.id, role: 'router', status: 'failed' })
  const { id } = await addCluster(store, {}, [router, failed, member])
  return { id, router, failed, member }
}

interface RequestDeps extends Pick<Given, 'isSet' | 'places' | 'serving'> {
  readonly store: Store
  readonly id: number
}

/** As the handlers do: from the record as it is by then. */
async function request({ store, id, isSet, places, serving }: RequestDeps): Promise<Given> {
  const cluster = await requireCluster(store, id)
  const member = cluster.members.find((one) => isSet && places.get(one.id) === 'member')
  return {
    deps: {
      store,
      clock: systemClock,
      services: servicesOf(serving),
      // Only what the steps call.
      routes: routes as ClusterRoutes,
    },
    call: fakeCall(),
    cluster,
    candidate: member?.routerStatus === 'active' ? undefined : member,
    leaving: cluster.members.filter((one) => one.id !== member?.id && one.routerStatus !== null),
    isReplaced: isSet,
    serving,
    isSet,
    places,
  }
}

for (const isSet of [true, false])
  testStepList<Given>('cluster-router', {
    variant: isSet ? 'set' : 'clear',
    list: routerChange,
    fresh: () => fresh(isSet),
    view: async ({ deps, cluster, serving, places }) => ({
      serving: [...serving].map((id) => places.get(id)),
      routers: (await requireCluster(deps.store, cluster.id)).members.flatMap(({ id, routerStatus }) =>
        routerStatus === null ? [] : [`${places.get(id)} ${routerStatus}`],
      ),
    }),
    log: routerLog,
    again: ({ deps, cluster, isSet: again, places, serving }) =>
      request({ store: deps.store, id: cluster.id, isSet: again, places, serving }),
  })
