import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import {
  closeToPublic,
  type EdgeChange,
  edgeChangeOf,
  type EdgeDeps,
  publishingSteps,
} from '#/routes/edge/publish.ts'
import { findRoute, updateRoute } from '#/routes/queries.ts'

/** A Route that keeps its id while it is opened to the public or closed again. */
export interface PublicationChange {
  readonly deps: EdgeDeps
  readonly call: Call
  readonly routeId: number
  /** Decided when the request was stored. */
  readonly isPublic: boolean
}

const changeOf = ({ deps, call, routeId }: PublicationChange): EdgeChange =>
  edgeChangeOf(deps, call, [routeId])

/** Every step may be repeated; the identical request finishes what an earlier one began (RTX-053, RTX-054). */
export const edgePublication = stepList<PublicationChange>(
  'route-edge',
  ({ isPublic }) =>
    isPublic
      ? publishingSteps(changeOf)
      : [{ name: 'public-withdrawn', run: (change) => closeToPublic(changeOf(change)) }],
  { forwardOnly: true },
)

/** An active Route serves in private whatever happens here, so nothing failed about it (RTX-054). */
export const edgeLog = ({ deps, routeId }: Pick<PublicationChange, 'deps' | 'routeId'>): StepLog =>
  columnsLog<{ readonly failed_step: string; readonly error_code: string }>({
    on: { failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }) },
    write: async (failure) => {
      const route = await findRoute(deps.store.db, routeId)
      if (route && route.status !== 'active') await updateRoute(deps.store.db, routeId, failure)
    },
  })

export const performEdge = async (change: PublicationChange): Promise<void> =>
  void (await performSteps(edgePublication, change, { call: change.call, log: edgeLog(change) }))
