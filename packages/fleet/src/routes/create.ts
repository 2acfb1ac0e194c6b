import { fail, type RouteData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { identityOf, type NodeRecord } from '#/nodes/api.ts'
import { createAppRoute } from '#/routes/create-app.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { requireNotReserved } from '#/routes/plan.ts'
import { presentRoute } from '#/routes/present.ts'
import { findByDomain, findRoute, insertRoute } from '#/routes/queries.ts'
import { asProxy, type RouteRecord } from '#/routes/record.ts'
import { isSameProxy, type ProxyRequest, proxyOrRefuse, takenBy } from '#/routes/rules.ts'
import { activateProxy } from '#/routes/steps/activation.ts'

type Created = { readonly data: RouteData; readonly created: boolean }

// Each round loses to another creation in the same moment, whose Route is gone again in the next.
const ROUNDS = 5

/** A Route to an Instance, or a custom proxy (RTE-047 to RTE-049, RTE-158 to RTE-162). */
export const makeCreate =
  (parts: RoutesParts): Handler<'route:create'> =>
  async ({ call, input }) => {
    const { instance_id } = input
    if (instance_id !== undefined) return createAppRoute(parts, call, { ...input, instance_id })
    const request = proxyOrRefuse(input)
    const settings = await parts.network.settings()
    if (!settings) throw fail('node.capability_missing', { details: { capability: 'routes' } })
    requireNotReserved(request.domain, settings.suffix)
    const node = await parts.nodes.find(request.nodeId)
    if (!node) throw fail('node.not_found')
    call.note.target(node.id)
    const stored = await storedOrNew(parts, node, request)
    call.note.subject('route', stored.route.id)
    return finish(parts, call, node, stored)
  }

interface Stored {
  readonly route: RouteRecord
  readonly isNew: boolean
}

async function storedOrNew(parts: RoutesParts, node: NodeRecord, request: ProxyRequest): Promise<Stored> {
  const { db } = parts.store
  for (let round = 0; round < ROUNDS; round += 1) {
    const known = await findByDomain(db, request.domain)
    if (known) {
      if (!isSameProxy(known, request)) throw takenBy(known, request)
      return { route: known, isNew: false }
    }
    requireServing(node)
    const route = await insertRoute(db, {
      kind: 'custom_proxy',
      node_id: node.id,
      domain: request.domain,
      provenance: 'explicit',
      publication: 'private',
      status: 'activating',
      upstream: request.upstream,
      created_at: parts.clock.now().toISOString(),
    })
    if (route) return { route, isNew: true }
  }
  throw fail('route.domain_conflict', { details: { domain: request.domain } })
}

/** Throws `route.node_inactive` (RTE-085, RTE-159). */
function requireServing(node: NodeRecord): void {
  if (node.status !== 'active' || node.wireguard_ip === null)
    throw fail('route.node_inactive', { details: { node: identityOf(node) } })
}

/** Resumes an interrupted creation; an active or failed one is returned unchanged. */
const finish = (
  parts: RoutesParts,
  call: Call,
  node: NodeRecord,
  { route, isNew }: Stored,
): Promise<Created> =>
  holding(parts.store, call, lockOf('route', route.id), async () => {
    const { db } = parts.store
    const current = (await findRoute(db, route.id)) ?? route
    if (current.status !== 'activating') return { data: presentRoute(current), created: false }
    const session = parts.nodes.sessions.overTunnel(call, node)
    await activateProxy({ parts, call, session, route: asProxy(current) })
    const data = presentRoute((await findRoute(db, route.id)) ?? current)
    call.event('route.created', data)
    return { data, created: isNew }
  })
