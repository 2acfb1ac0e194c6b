import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { holding, lockOf } from '#/locks/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import { removeRoute } from '#/routes/steps/removal.ts'

/** Removes a Route in the order of RTX-063; with `offline` also where its Node does not answer (RTE-174 to RTE-177). */
export const makeDestroy =
  (parts: RoutesParts): Handler<'route:destroy'> =>
  async ({ call, input }) => {
    call.note.subject('route', input.route)
    call.note.property('offline', input.offline)
    return holding(parts.store, call, lockOf('route', input.route), async () => {
      const route = await findRoute(parts.store.db, input.route)
      if (!route || route.node_id === null) throw fail('route.not_found')
      // Without it the Instance would be active and served by nothing (RTE-028, RTE-094).
      if (route.kind === 'app') throw targeted(route)
      const node = await parts.nodes.find(route.node_id)
      if (!node) throw fail('route.not_found')
      call.note.target(node.id)
      const session = await sessionOf(parts, call, node, input.offline)
      const retained_on_nodes = [...(await removeRoute({ parts, call, route, node, session }))]
      const { id, domain } = route
      call.event('route.deleted', { id, domain })
      return { data: { ...presentRoute(route), retained_on_nodes } }
    })
  }

/** Undefined for a Node that `offline` skips: one that is not active, or does not answer now (RTE-175). */
async function sessionOf(
  { nodes }: RoutesParts,
  call: Call,
  node: NodeRecord,
  offline: boolean,
): Promise<NodeSession | undefined> {
  if (offline && (node.status !== 'active' || !(await nodes.answers(call, node)))) return undefined
  return nodes.sessions.overTunnel(call, node)
}

const targeted = ({ id, targets }: RouteRecord): Error =>
  fail('route.target_conflict', {
    details: { existing_route_id: id, instance_ids: targets.map(({ instance_id }) => instance_id) },
  })
