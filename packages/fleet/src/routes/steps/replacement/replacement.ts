import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { PlannedScope } from '#/clusters/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { EdgeChange } from '#/routes/edge/publish.ts'
import { routesByIds } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { replacementRows } from '#/routes/steps/replacement/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import type { ServedRoute } from '#/routes/served.ts'

/** One Route that another one replaces: everything but the domain and the publication stays as it is. */
export interface RouteChange {
  readonly routeId: number
  readonly domain: string
  readonly publication: RouteRow['publication']
  /** For which its domain was made. */
  readonly scope?: PlannedScope | undefined
}

/** Several Routes that are replaced as one: each of their steps is done for all, and all wait once (RTX-043). */
export interface Replacement {
  readonly deps: Pick<
    RoutesDeps,
    | 'store'
    | 'clock'
    | 'nodes'
    | 'certificates'
    | 'webServer'
    | 'names'
    | 'applicationUrls'
    | 'productionFiles'
    | 'firewall'
    | 'paths'
  >
  readonly call: Call
  readonly changes: readonly RouteChange[]
  /** An earlier request reserved it, and may have done any step before the cutover. */
  readonly isResumed: boolean
  /** An earlier request cut over: from here on it only goes forward. */
  readonly isCutOver: boolean
  /** Every step before the cutover is done, and what has to be undone of them is not for this list. */
  readonly isPrepared?: true
  /** Of a removal with `offline`: Nodes of its Instances that do not answer, and are skipped. */
  readonly silent?: readonly NodeRecord[]
}

export const routeIdsOf = ({ changes }: Pick<Replacement, 'changes'>): readonly number[] =>
  changes.map(({ routeId }) => routeId)

/** The replacements, as the records have them now; none before they are reserved and after the old Routes are gone. */
export const replacementsOf = (replacement: Replacement): Promise<readonly RouteRow[]> =>
  replacementRows(replacement.deps.store.db, routeIdsOf(replacement))

/** The replaced Routes; none once they are gone. */
export const replacedOf = (replacement: Replacement): Promise<readonly RouteRow[]> =>
  routesByIds(replacement.deps.store.db, routeIdsOf(replacement))

/** What the replacements serve. */
export const servedByNew = async (replacement: Replacement): Promise<readonly ServedRoute[]> =>
  servedOf(
    replacement.deps.store.db,
    (await replacementsOf(replacement)).map(({ id }) => id),
  )

/** What the replaced Routes serve. */
export const servedByOld = (replacement: Replacement): Promise<readonly ServedRoute[]> =>
  servedOf(replacement.deps.store.db, routeIdsOf(replacement))

const servedOf = (db: Database, routeIds: readonly number[]): Promise<readonly ServedRoute[]> =>
  servedRows(db, { routeIds })

export const isSkipped = ({ silent = [] }: Replacement, { instance }: ServedRoute): boolean =>
  silent.some(({ id }) => id === instance.node_id)

const asked = (replacement: Replacement, served: readonly ServedRoute[]): readonly ServedRoute[] =>
  served.filter((one) => !isSkipped(replacement, one))

/** Runs the work on the Node of each that is not skipped, one after another. */
export async function onEach(
  replacement: Replacement,
  served: readonly ServedRoute[],
  work: (session: NodeSession, served: ServedRoute) => Promise<unknown>,
): Promise<void> {
  const { deps, call } = replacement
  for (const one of asked(replacement, served))
    await work(await sessionOn(deps, call, one.instance.node_id), one)
}

/** Builds each Node once that is not skipped, however many of the Routes it serves. */
export async function buildEach(replacement: Replacement, served: readonly ServedRoute[]): Promise<void> {
  const { deps, call } = replacement
  for (const nodeId of new Set(asked(replacement, served).map(({ instance }) => instance.node_id)))
    await deps.webServer.build(await sessionOn(deps, call, nodeId), 'app-dev')
}

/** Does the work for each of the Routes, one after another. */
export async function ofEach(
  { deps, call }: Replacement,
  routes: readonly RouteRow[],
  work: (deps: Replacement['deps'], call: Call, route: RouteRow) => Promise<void>,
): Promise<void> {
  for (const route of routes) await work(deps, call, route)
}

/** The public side of the replacements. */
export const edgeOfNew = (replacement: Replacement): EdgeChange => ({
  deps: replacement.deps,
  call: replacement.call,
  routes: () => replacementsOf(replacement),
})

async function sessionOn({ nodes }: Replacement['deps'], call: Call, nodeId: number): Promise<NodeSession> {
  const node = await nodes.find(nodeId)
  if (!node) throw new Error(`the Node ${nodeId} of a Route is gone`)
  return nodes.sessions.overTunnel(call, node)
}
