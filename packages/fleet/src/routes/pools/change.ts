import type { RecordedDisposition, RecordedPool } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { InstanceRecord } from '#/instances/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { routesByIds } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { ServedRoute } from '#/routes/served.ts'

/** Routes whose targets change as one. */
export interface PoolChange {
  readonly deps: Omit<RoutesDeps, 'instances'> & {
    readonly instances: Pick<RoutesDeps['instances'], 'find'>
  }
  readonly call: Call
  /** The Route that the request is about. */
  readonly routeId: number
  readonly pools: readonly RecordedPool[]
  readonly dispositions: readonly RecordedDisposition[]
  /** With `offline`: Routers that do not answer are skipped and added here. */
  readonly silent?: NodeRecord[]
  /** Nodes that nothing is undone on: they did not answer when a set was given up. */
  readonly skipped?: readonly NodeRecord[]
  /** One of the Routes is meant for the public. */
  readonly isPublic: boolean
  /** An earlier request recorded it, and may have done any step before the commit. */
  readonly isResumed: boolean
  /** The association is stored: from here on it only goes forward. */
  readonly isCommitted: boolean
}

/** An Instance and the Route whose pool it enters or leaves. */
export interface Placed {
  readonly routeId: number
  readonly instanceId: number
}

const without = (all: readonly number[], some: readonly number[]): readonly number[] =>
  all.filter((id) => !some.includes(id))

/** Instances that a pool gets. */
export const joinsOf = ({ pools }: Pick<PoolChange, 'pools'>): readonly Placed[] =>
  pools.flatMap(({ route_id: routeId, before, after }) =>
    without(after, before).map((instanceId) => ({ routeId, instanceId })),
  )

/** Instances that a pool loses. */
export const leavesOf = ({ pools }: Pick<PoolChange, 'pools'>): readonly Placed[] =>
  pools.flatMap(({ route_id: routeId, before, after }) =>
    without(before, after).map((instanceId) => ({ routeId, instanceId })),
  )

export const routeIdsOf = ({ pools }: Pick<PoolChange, 'pools'>): readonly number[] =>
  pools.map(({ route_id }) => route_id)

/** The Route itself, and those that get an Instance of it. */
export const receivingIds = (change: Pick<PoolChange, 'pools' | 'routeId'>): readonly number[] => [
  ...new Set([change.routeId, ...joinsOf(change).map(({ routeId }) => routeId)]),
]

/** As the records have them now. */
export const routesOf = ({ deps }: PoolChange, ids: readonly number[]): Promise<readonly RouteRow[]> =>
  routesByIds(deps.store.db, ids)

/** What the Routes serve now, prepared targets included. */
export const servedOf = (
  { deps }: PoolChange,
  routeIds: readonly number[],
): Promise<readonly ServedRoute[]> =>
  routeIds.length === 0 ? Promise.resolve([]) : servedRows(deps.store.db, { routeIds, isMoving: true })

/** What these Instances serve of these Routes now; one that was removed meanwhile is passed over. */
export async function servedOfPlaced(
  change: PoolChange,
  placed: readonly Placed[],
): Promise<readonly ServedRoute[]> {
  const all = await servedOf(change, [...new Set(placed.map(({ routeId }) => routeId))])
  return placed.flatMap(
    ({ routeId, instanceId }) =>
      all.find(({ route, instance }) => route.id === routeId && instance.id === instanceId) ?? [],
  )
}

/** The Instances that are still stored. */
export async function instancesOf(
  { deps }: { readonly deps: Pick<PoolChange['deps'], 'instances'> },
  placed: readonly Placed[],
): Promise<InstanceRecord[]> {
  const found = []
  for (const id of new Set(placed.map(({ instanceId }) => instanceId))) {
    const instance = await deps.instances.find(id)
    if (instance) found.push(instance)
  }
  return found
}

export async function sessionOn({ deps, call }: PoolChange, nodeId: number): Promise<NodeSession> {
  const node = await deps.nodes.find(nodeId)
  if (!node) throw new Error(`the Node ${nodeId} of a Route is gone`)
  return deps.nodes.sessions.overTunnel(call, node)
}

export const isSkipped = ({ skipped = [] }: PoolChange, nodeId: number): boolean =>
  skipped.some(({ id }) => id === nodeId)

/** Does the work on each of the Nodes once, but for those that are skipped. */
export async function onNodes(
  change: PoolChange,
  nodeIds: readonly number[],
  work: (session: NodeSession) => Promise<unknown>,
): Promise<void> {
  for (const nodeId of new Set(nodeIds))
    if (!isSkipped(change, nodeId)) await work(await sessionOn(change, nodeId))
}

/** Does the work for each, on the Node of its Instance, unless that is skipped. */
export async function onEach(
  change: PoolChange,
  served: readonly ServedRoute[],
  work: (session: NodeSession, served: ServedRoute) => Promise<unknown>,
): Promise<void> {
  for (const one of served)
    if (!isSkipped(change, one.instance.node_id))
      await work(await sessionOn(change, one.instance.node_id), one)
}

export const buildOn = (change: PoolChange, nodeIds: readonly number[]): Promise<void> =>
  onNodes(change, nodeIds, (session) => change.deps.webServer.build(session, 'app-dev'))
