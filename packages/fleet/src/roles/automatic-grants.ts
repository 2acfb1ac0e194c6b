import type { RoleName } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { addGrant, findHolders } from '#/nodes/api.ts'

const SERVING = ['vpn', 'metrics'] as const satisfies readonly RoleName[]

/** When one of the three roles becomes active: the gateway Node may act on the active `vpn` and `metrics` Nodes (ROLE-002). */
export async function grantGatewayAccess(db: Database, role: string, now: string): Promise<void> {
  if (role !== 'gateway' && !SERVING.some((serving) => serving === role)) return
  const holders = (await findHolders(db, ['gateway', ...SERVING])).filter(({ status }) => status === 'active')
  const [gateways, serving] = [
    holders.filter((holder) => holder.role === 'gateway'),
    holders.filter((holder) => holder.role !== 'gateway'),
  ]
  for (const { node_id: consumer_node_id } of gateways) {
    for (const { node_id: serving_node_id } of serving) {
      // A Node always may act on itself, so that grant is never stored (GRANT-009).
      if (consumer_node_id !== serving_node_id)
        await addGrant(db, { consumer_node_id, serving_node_id, created_at: now })
    }
  }
}
