import type { BackendStatus, FirewallAction, FirewallProtocol, FirewallStatus } from '@fleet/contract'
import type { Generated } from 'kysely'
import type { Json } from '#/column-types.ts'

interface FirewallRulesTable {
  id: Generated<number>
  node_id: number
  name: string
  action: FirewallAction
  source: string
  protocol: FirewallProtocol
  port: string
  status: FirewallStatus
  /** What the last change of the rule found the firewall to be; null when none has. */
  backend_status: BackendStatus | null
  failed_step: string | null
  error_code: string | null
  created_at: string
}

/** The limit of who may call the gateway from a Node; no row without one. */
interface NodeCallersTable {
  node_id: number
  accounts: Json<readonly string[]>
}

export interface FirewallTables {
  firewall_rules: FirewallRulesTable
  node_callers: NodeCallersTable
}
