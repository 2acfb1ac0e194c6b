import { fail, type InputOf, invalid, type RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { requireNoTransfer } from '#/instances/api.ts'
import { performEdge } from '#/routes/edge/list.ts'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { domainTaken, nodeScopeOrRefuse, requireFree, suffixOrRefuse } from '#/routes/plan.ts'
import { presentRoute } from '#/routes/present.ts'
import { publishingKept } from '#/routes/publish-kept.ts'
import { findRoute, takePlaceOf, updateRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { replaceRoutes } from '#/routes/replace.ts'
import { domainOrRefuse, webRootOrRefuse } from '#/routes/rules.ts'
import { withdrawVacated } from '#/routes/steps/vacated.ts'
import { requireSettledTargets } from '#/routes/target.ts'
import { underLocks } from '#/routes/under-locks.ts'
import { changeWebRoot } from '#/routes/web-root/change.ts'

type Input = InputOf<'route:update'>
type Wanted = Pick<Input, 'domain' | 'publication'>

/** A Route keeps its id with another publication or web root, and is replaced for another domain (RTE-012, RTE-050, RTE-068, RTX-003, RTX-010). */
export const makeUpdate =
  (deps: RoutesDeps): Handler<'route:update'> =>
  async ({ call, input, found }) => {
    const webRoot = webRootAloneOrRefuse(input)
    const wanted = wantedOrRefuse(input)
    call.note.subject('route', input.route)
    return underLocks(deps, call, { id: input.route, found: found?.route }, async (route) => {
      if (route.kind !== 'app') throw ofAnotherKind(route, wanted)
      if (route.node_id !== null) call.note.target(route.node_id)
      if (webRoot !== undefined) return changeWebRoot(deps, call, route, webRoot)
      if (isInTransition(route)) return resume(deps, call, route, wanted)
      if (wanted.domain !== undefined && wanted.domain !== route.domain)
        return change(deps, call, route, { ...wanted, domain: wanted.domain })
      return publish(deps, call, route, wanted)
    })
  }

/** Undefined without one. Throws `route.web_root_update_separate` beside another member, and `validation.failed` (RTE-069, RTE-134). */
function webRootAloneOrRefuse({ domain, publication, web_root }: Input): string | null | undefined {
  if (web_root === undefined) return undefined
  if (domain !== undefined || publication !== undefined) throw fail('route.web_root_update_separate')
  return webRootOrRefuse(web_root)
}

/** Throws `validation.failed` and `route.domain_invalid` (RTX-011). */
function wantedOrRefuse({ domain, publication, web_root }: Input): Wanted {
  if (domain === undefined && publication === undefined && web_root === undefined)
    throw invalid({ domain: ['name one of domain, publication and web_root'] })
  return {
    ...(domain === undefined ? {} : { domain: domainOrRefuse(domain) }),
    ...(publication === undefined ? {} : { publication }),
  }
}

/** The wish is stored first; the identical request finishes what an earlier one began (RTX-051, RTX-053). */
async function publish(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  { publication = route.publication }: Wanted,
): Promise<Outcome<RouteData>> {
  const { db } = deps.store
  const isPublic = publication === 'public'
  const isChanged = publication !== route.publication
  if (isChanged) {
    await requireSettledTargets(deps, route)
    await updateRoute(db, route.id, { publication })
  }
  await publishingKept(deps, call, { routeIds: [route.id], isKept: () => isChanged }, () =>
    performEdge({ deps, call, routeId: route.id, isPublic }),
  )
  const data = presentRoute((await findRoute(db, route.id)) ?? route)
  const before = presentRoute(route)
  if (data.publication !== before.publication || data.replacement_step !== before.replacement_step)
    call.event('route.updated', data)
  return { data }
}

/** The request that began a change ends it, whichever of the two Routes it names; another one has to wait (RTX-035). */
export async function resume(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  wanted: Wanted,
): Promise<Outcome<RouteData>> {
  const { db } = deps.store
  const replacedId = route.replaces_route_id ?? route.id
  const next = route.replaces_route_id === null ? await findRoute(db, route.replaced_by_route_id ?? 0) : route
  const isSame =
    next?.domain === wanted.domain &&
    (wanted.publication === undefined || wanted.publication === next?.publication)
  if (!next || !isSame)
    throw fail('route.domain_change_conflict', {
      details: { existing_route_id: replacedId, domain: next?.domain ?? route.domain },
    })
  const { domain, publication } = next
  return replaced(deps, call, { routeId: replacedId, domain, publication })
}

async function change(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  { domain, publication = route.publication }: Wanted & { readonly domain: string },
): Promise<Outcome<RouteData>> {
  const details = { existing_route_id: route.id, status: route.status }
  if (route.provenance === 'generated') throw await generated(deps, route, domain)
  if (route.web_root !== null) throw fail('route.web_root_domain_immutable', { details })
  if (isIdle(route)) return replaceIdle(deps, call, route, { domain, publication })
  if (route.status !== 'active') throw fail('route.reconciliation_required', { details })
  await requireTargets(deps, route)
  await requireFree(deps, { domain, suffix: await suffixOrRefuse(deps), nodeId: route.node_id })
  return replaced(deps, call, { routeId: route.id, domain, publication })
}

/** A generated domain follows its Project and Node; the Instance may have one of its own (INS-085). */
async function generated(
  { instances }: RoutesDeps,
  { id, status, targets: [target] }: RouteRecord,
  domain: string,
): Promise<Error> {
  const instance = target && (await instances.find(target.instance_id))
  return fail('route.reconciliation_required', {
    ...(instance && {
      message: `The domain of the Route was generated, and its Instance is what gets another one: \`fleet instance:rename ${instance.project.slug}/${instance.name} --domain ${domain}\`.`,
    }),
    details: { existing_route_id: id, status },
  })
}

/** To create it again would help only with another domain (RTE-067). */
const ofAnotherKind = ({ kind }: RouteRecord, { domain, publication }: Wanted): Error =>
  kind === 'custom_proxy' && domain === undefined && publication !== undefined
    ? fail('route.kind_unsupported', {
        message: 'A custom proxy is always private. Only a Route to an Instance of production can be public.',
        details: { kind, reason: 'always_private' },
      })
    : fail('route.kind_unsupported', { details: { kind } })

/** It leads to nothing. */
const isIdle = (route: RouteRecord): boolean => route.status === 'pending' && route.targets.length === 0

/**
 * Nothing is served, so there is nothing to prepare and nothing to cut over (RTX-024): what Routers and ingress answer for one that lost
 * its last Instance goes first. Throws `route.domain_conflict`.
 */
async function replaceIdle(
  deps: RoutesDeps,
  call: Call,
  route: RouteRecord,
  wanted: Required<Pick<RouteRecord, 'domain' | 'publication'>>,
): Promise<Outcome<RouteData>> {
  const suffix = await suffixOrRefuse(deps)
  await requireFree(deps, { domain: wanted.domain, suffix, nodeId: route.node_id })
  await withdrawVacated({ deps, call, route })
  const left = (await findRoute(deps.store.db, route.id)) ?? route
  const created_at = deps.clock.now().toISOString()
  const next = await deps.store.transaction(async (tx) => {
    const stored = await takePlaceOf(tx, left, { ...wanted, created_at })
    if (!stored) throw domainTaken(wanted.domain)
    return stored
  })
  call.note.subject('route', next.id)
  const data = presentRoute(next)
  call.event('route.deleted', { id: route.id, domain: route.domain })
  call.event('route.updated', data)
  return { data }
}

/** Throws `instance.source_profile_missing`, `route.node_inactive` and `route.router_required` (RTX-036). */
export async function requireTargets(deps: RoutesDeps, { targets }: RouteRecord): Promise<void> {
  for (const { instance_id } of targets) {
    const instance = await deps.instances.find(instance_id)
    if (!instance?.profile) throw fail('instance.source_profile_missing', { details: { instance_id } })
    requireNoTransfer(instance)
    await nodeScopeOrRefuse(deps, instance.node)
  }
}

export async function replaced(
  deps: RoutesDeps,
  call: Call,
  change: Parameters<typeof replaceRoutes>[2][number],
): Promise<Outcome<RouteData>> {
  const [data] = await replaceRoutes(deps, call, [change])
  if (!data) throw new Error('a replacement of one Route is one Route')
  call.note.subject('route', data.id)
  return { data }
}
