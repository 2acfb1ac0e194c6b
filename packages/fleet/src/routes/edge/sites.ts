import type { NodeRecord } from '#/nodes/api.ts'
import type { PublicRoute } from '#/routes/edge/public-routes.ts'
import { addressFrom } from '#/routes/edge/rules.ts'
import type { RoutedRoute } from '#/routes/routers/sites.ts'
import { routerHandler } from '#/routes/routers/sites.ts'
import { handlerOf, type ServedRoute, trusting } from '#/routes/served.ts'
import { ingressScope } from '#/routes/scopes.ts'
import type { Site, SiteHandler } from '#/web-server/api.ts'

/** Everybody's way to the Node. */
const EVERYWHERE = '0.0.0.0'

/** What of a public Route is on its ingress besides. */
export interface BesideEdge {
  /** The Node is a Router of the Route: private visitors meet that site at its own addresses. */
  readonly routed: RoutedRoute | undefined
  /** An Instance of the Route on this Node. */
  readonly local: ServedRoute | undefined
  /** Addresses from which Routers lead private visitors to that Instance. */
  readonly trusts: readonly string[]
}

/** With a certificate that the server itself obtains, never one of the fleet (RTX-055, RTX-056). */
export function publicSite(node: NodeRecord, found: PublicRoute, beside: BesideEdge): Site {
  const own = [node.wireguard_ip, node.lan_ip].filter((address) => address !== null)
  return {
    source: 'ingress',
    scope: ingressScope(found.route),
    domain: found.route.domain,
    listener: { kind: 'tcp', addresses: [EVERYWHERE, ...(beside.routed ? [] : own)] },
    tls: { kind: 'automatic' },
    handler: handlerFor(node, found, beside),
    ...(beside.local && !beside.routed ? trusting(beside.trusts) : {}),
  }
}

/** Its own Instance, else what it has as a Router, else the Router of the Cluster: no hop more than needed (RTX-056, RTX-057). */
function handlerFor(node: NodeRecord, found: PublicRoute, { routed, local }: BesideEdge): SiteHandler {
  if (local) return handlerOf(local)
  if (routed) return routerHandler(node, routed)
  const { router, ingress } = found.edge
  const address = addressFrom(ingress, router)
  return { kind: 'pool', targets: address === null ? [] : [{ kind: 'tcp', address }], isOnlyWay: true }
}
