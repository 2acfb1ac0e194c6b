import type { Database } from '@fleet/store'
import type { NodeRecord } from '#/nodes/api.ts'
import { addressFrom } from '#/routes/edge/rules.ts'

/** Addresses from which other Routers lead visitors of each Route to this Node, by the id of the Route. */
export type Forwarders = ReadonlyMap<number, readonly string[]>

/**
 * A Router counts from before its site is built until after its site and certificate are gone, so that no visitor who comes through it is
 * taken for the Router itself (RTX-056).
 */
export async function forwardersTo(
  db: Database,
  node: Pick<NodeRecord, 'id' | 'lan_ip'>,
  routeIds: readonly number[],
): Promise<Forwarders> {
  if (routeIds.length === 0) return new Map()
  const routers = await db
    .selectFrom('route_routers')
    .innerJoin('nodes', 'nodes.id', 'route_routers.node_id')
    .select([
      'route_routers.route_id as routeId',
      'nodes.wireguard_ip as wireguardIp',
      'nodes.lan_ip as lanIp',
    ])
    .where('route_routers.route_id', 'in', [...routeIds])
    .where('route_routers.node_id', '!=', node.id)
    .orderBy('route_routers.route_id')
    .orderBy('route_routers.node_id')
    .execute()
  return new Map(
    [...Map.groupBy(routers, ({ routeId }) => routeId)].map(([id, of]) => [
      id,
      of.flatMap((router) => sourceTowards(node, router) ?? []),
    ]),
  )
}

/** Whoever is on the LAN of the other one is led over it, and so its connections come from there (RTX-046, RTX-056). */
export const sourceTowards = (
  to: Pick<NodeRecord, 'lan_ip'>,
  from: { readonly wireguardIp: string | null; readonly lanIp: string | null },
): string | null => addressFrom({ lanIp: to.lan_ip }, from)
