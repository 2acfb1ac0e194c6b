import { fail, type RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { createAppRoute } from '#/routes/create-app.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { namingFailed } from '#/routes/failed-creation.ts'
import { requireNotOfNode, requireNotReserved } from '#/routes/plan.ts'
import { withProcessUpstream } from '#/routes/process-upstream.ts'
import { presentRoute } from '#/routes/present.ts'
import { findByDomain, findRoute, insertRoute } from '#/routes/queries.ts'
import { asProxy, type RouteRecord } from '#/routes/record.ts'
import { isSameProxy, type ProxyRequest, proxyOrRefuse, takenBy } from '#/routes/rules.ts'
import { activateProxy } from '#/routes/steps/activation.ts'

type Created = { readonly data: RouteData; readonly created: boolean }

// Each round loses to another creation, whose Route is gone again in the next.
const ROUNDS = 5

/** A Route to an Instance, or a custom proxy (RTE-047 to RTE-049, RTE-158 to RTE-162). */
export const makeCreate =
  (deps: RoutesDeps): Handler<'route:create'> =>
  async ({ call, input }) => {
    const { instance_id } = input
    if (instance_id !== undefined) return createAppRoute(deps, call, { ...input, instance_id })
    const request = proxyOrRefuse(input)
    const settings = await deps.network.settings()
    if (!settings) throw fail('node.capability_missing', { details: { capability: 'routes' } })
    requireNotReserved(request.domain, settings.suffix)
    const node = await deps.nodes.find(request.nodeId)
    if (!node) throw fail('node.not_found')
    call.note.target(node.id)
    for (let round = 0; round < ROUNDS; round += 1) {
      const stored = await storedOrNew(deps, call, { node, suffix: settings.suffix }, request)
      call.note.subject('route', stored.route.id)
      const created = await finish(deps, call, node, stored)
      if (created) return created
    }
    throw fail('route.busy')
  }

interface Stored {
  readonly route: RouteRecord
  readonly isNew: boolean
}

/** The stored Route of the identical request, or a new one. */
async function storedOrNew(
  deps: RoutesDeps,
  call: Call,
  { node, suffix }: { readonly node: NodeRecord; readonly suffix: string },
  request: ProxyRequest,
): Promise<Stored> {
  const { target } = request
  const known = await findSame(deps, request)
  if (known) return { route: known, isNew: false }
  await requireNotOfNode(deps, { domain: request.domain, suffix, nodeId: node.id })
  requireServing(node)
  if ('upstream' in target) return insertOrFind(deps, node, request, { upstream: target.upstream })
  return withProcessUpstream(deps, call, node, target.processId, (upstream) =>
    insertOrFind(deps, node, request, { upstream, process_id: target.processId }),
  )
}

/** Throws `route.retry_conflict` and `route.domain_conflict` for a Route of this domain with other values. */
async function findSame({ store }: RoutesDeps, request: ProxyRequest): Promise<RouteRecord | undefined> {
  const known = await findByDomain(store.db, request.domain)
  if (known && !isSameProxy(known, request)) throw takenBy(known, request)
  return known
}

async function insertOrFind(
  deps: RoutesDeps,
  node: NodeRecord,
  request: ProxyRequest,
  target: { readonly upstream: string; readonly process_id?: number },
): Promise<Stored> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const route = await insertRoute(deps.store.db, {
      kind: 'custom_proxy',
      node_id: node.id,
      domain: request.domain,
      provenance: 'explicit',
      publication: 'private',
      status: 'activating',
      ...target,
      created_at: deps.clock.now().toISOString(),
    })
    if (route) return { route, isNew: true }
    const known = await findSame(deps, request)
    if (known) return { route: known, isNew: false }
  }
  throw fail('route.domain_conflict', { details: { domain: request.domain } })
}

/** Throws `route.node_inactive` (RTE-085, RTE-159). */
function requireServing(node: NodeRecord): void {
  if (node.status !== 'active' || node.wireguard_ip === null)
    throw fail('route.node_inactive', { details: { node: identityOf(node) } })
}

/** Resumes an interrupted creation; an active or failed one is returned unchanged. Undefined for one that was removed while this waited. */
const finish = (
  deps: RoutesDeps,
  call: Call,
  node: NodeRecord,
  { route, isNew }: Stored,
): Promise<Created | undefined> =>
  holding(deps.store, call, lockOf('route', route.id), async () => {
    const { db } = deps.store
    const current = await findRoute(db, route.id)
    if (!current) return undefined
    if (current.status !== 'activating') return { data: presentRoute(current), created: false }
    const session = deps.nodes.sessions.overTunnel(call, node)
    await activateProxy({ deps, call, session, route: asProxy(current) }).catch(async (error: unknown) => {
      throw await namingFailed(deps, route.id, error)
    })
    const data = presentRoute((await findRoute(db, route.id)) ?? current)
    call.event('route.created', data)
    return { data, created: isNew }
  })
