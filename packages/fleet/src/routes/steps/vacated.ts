import { type Step, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { performSteps } from '#/perform-steps.ts'
import { closeToPublic, edgeChangeOf } from '#/routes/edge/publish.ts'
import { publishingKept } from '#/routes/publish-kept.ts'
import { updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { placementsWhere } from '#/routes/routers/queries.ts'
import { withdrawRouterLeaves, withdrawRouterSites } from '#/routes/routers/serve.ts'
import type { PublicationDeps } from '#/routes/steps/publication.ts'
import { isOnNode } from '#/routes/steps/withdrawal.ts'

/** A Route that lost its last Instance: Routers and ingress of its Cluster still answer that it is unavailable (decision 0205). */
export interface VacatedWithdrawal {
  readonly deps: PublicationDeps
  readonly call: Call
  readonly route: RouteRecord
}

const name: Step<VacatedWithdrawal> = {
  name: 'dns',
  run: async ({ deps, call, route }) => {
    await updateRoute(deps.store.db, route.id, { has_name: 0 })
    await deps.names.publish(call)
  },
}

const edge: Step<VacatedWithdrawal> = {
  name: 'public-withdrawn',
  run: ({ deps, call, route }) => closeToPublic(edgeChangeOf(deps, call, [route.id])),
}

const site: Step<VacatedWithdrawal> = {
  name: 'caddy',
  run: async ({ deps, call, route }) => {
    await updateRoute(deps.store.db, route.id, { has_site: 0 })
    await withdrawRouterSites(deps, call, route)
  },
}

const certificate: Step<VacatedWithdrawal> = {
  name: 'certificate',
  run: async ({ deps, call, route }) => {
    await withdrawRouterLeaves(deps, call, route)
    await updateRoute(deps.store.db, route.id, { has_source: 0 })
  },
}

/** In the order of every withdrawal (RTX-063). One that failed begins again. */
export const vacatedWithdrawal = stepList<VacatedWithdrawal>(
  'route-vacated-withdrawal',
  () => [name, edge, site, certificate],
  { forwardOnly: true },
)

/** What Nodes still have of a Route that leads to nothing; without any, nothing is done. */
export async function withdrawVacated(withdrawal: VacatedWithdrawal): Promise<void> {
  const { deps, call, route } = withdrawal
  const placements = await placementsWhere(deps.store.db, { route_id: route.id })
  if (!isOnNode(route) && route.edge_step === null && placements.length === 0) return
  await deps.names.idle(call)
  const isKept = (routes: readonly RouteRecord[]): boolean =>
    routes.some(({ edge_step }) => edge_step !== route.edge_step)
  await publishingKept(deps, call, { routeIds: [route.id], isKept }, async () => {
    await performSteps(vacatedWithdrawal, withdrawal, { call })
  })
}
