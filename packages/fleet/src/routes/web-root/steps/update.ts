import type { WebRootChange } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { updateRoute } from '#/routes/queries.ts'
import { otherOf, type ServedRoute } from '#/routes/served.ts'
import { type PublicationDeps, servedNow } from '#/routes/steps/publication.ts'

/** A Route that keeps its id and its domain while it gets another web root. */
export interface WebRootUpdate {
  readonly deps: PublicationDeps
  readonly call: Call
  /** Of its Instance. */
  readonly node: NodeRecord
  readonly routeId: number
  /** Null for that of the Instance. */
  readonly webRoot: string | null
  /** An earlier request recorded it, and may have done any step before the commit. */
  readonly isResumed: boolean
  /** The Route has it: from here on it only goes forward. */
  readonly isCommitted: boolean
}

export const sessionOf = ({ deps, call, node }: WebRootUpdate): NodeSession =>
  deps.nodes.sessions.overTunnel(call, node)

/** As the records are now, with the web root that is to come or that is on its way out. */
export async function otherNow(update: WebRootUpdate): Promise<ServedRoute | undefined> {
  return otherOf(await servedNow(update))
}

export const storeChange = (
  { deps, routeId }: Pick<WebRootUpdate, 'deps' | 'routeId'>,
  web_root_change: WebRootChange | null,
): Promise<void> => updateRoute(deps.store.db, routeId, { web_root_change })

export const build = async (update: WebRootUpdate): Promise<void> =>
  void (await update.deps.webServer.build(sessionOf(update), 'app-dev'))
