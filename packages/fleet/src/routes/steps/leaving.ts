import { stepList } from '@fleet/steps'
import type { NewRow } from '@fleet/store'
import type { Call } from '#/call.ts'
import { performSteps } from '#/perform-steps.ts'
import type { PublicationDeps } from '#/routes/steps/publication.ts'
import { closeWhereAnswered, edgeResidues } from '#/routes/edge/offline.ts'
import { deleteRoute, updateRoute } from '#/routes/queries.ts'
import { routerResidues, withdrawFromAnswering } from '#/routes/routers/offline.ts'
import { unreachableOr } from '#/routes/steps/removal.ts'
import { residuesOf, withdrawalLog } from '#/routes/steps/withdrawal.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { ServedRoute } from '#/routes/served.ts'

/** A Route to an Instance whose Node does not answer. */
export interface Leaving {
  readonly deps: PublicationDeps
  readonly call: Call
  readonly node: NodeRecord
  readonly served: ServedRoute
}

/** The name goes at once, and what machines have that answer; the rest when the Node is back (RTE-175 to RTE-177). */
export const routeLeaving = stepList<Leaving>(
  'route-leaving',
  [
    {
      name: 'dns',
      run: async ({ deps, call, served: { route } }) => {
        await updateRoute(deps.store.db, route.id, { status: 'retiring', has_name: 0 })
        await deps.names.publish(call)
      },
    },
    {
      name: 'public-withdrawn',
      run: ({ deps, call, served: { route } }) => closeWhereAnswered(deps, call, route.id),
    },
    {
      name: 'caddy',
      run: ({ deps, call, served: { route } }) => withdrawFromAnswering(deps, call, route),
    },
    {
      name: 'forget',
      run: async ({ deps, served: { route } }) => {
        const { db } = deps.store
        const served = await servedRows(db, { routeId: route.id })
        const residues: ReadonlyArray<NewRow<'route_residues'>> = [
          ...served.flatMap((one) => residuesOf(one, deps.clock)),
          ...(await routerResidues(db, served.slice(0, 1), deps.clock)),
          ...(await edgeResidues(db, [route.id], deps.clock)),
        ]
        await deleteRoute(deps.store, route.id, residues)
      },
    },
  ],
  { forwardOnly: true },
)

export const leavingLog = ({ deps, served }: Leaving) => withdrawalLog({ deps, served, ends: 'deleted' })

/** What failed stays on the record, as of any removal (RTX-029, RTX-032). */
export const leaveRoute = async (leaving: Leaving): Promise<void> =>
  void (await performSteps(routeLeaving, leaving, {
    call: leaving.call,
    log: leavingLog(leaving),
    errorOf: (failure) => unreachableOr(failure, leaving.node),
  }))
