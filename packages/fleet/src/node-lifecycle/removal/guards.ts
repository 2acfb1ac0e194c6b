import { type ErrorCode, fail, type RoleName } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { transferCommand, type TransferRequest } from '#/instances/api.ts'
import type { OwnedRecords } from '#/roles/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

type Counted = Exclude<keyof OwnedRecords, 'dropProcesses' | 'publicDomains'>

/** What a Node may not own when it is removed (NODE-090, NODE-091), in the order of reporting. */
const OWNED: ReadonlyArray<readonly [Counted, ErrorCode]> = [
  ['instances', 'node.has_instances'],
  ['openTransfers', 'instance.transfer_incomplete'],
  ['routes', 'node.has_routes'],
  ['schedules', 'schedule.target_in_use'],
  ['processes', 'node.has_processes'],
  ['firewallRules', 'node.has_firewall_rules'],
  ['databaseServers', 'node.has_database_servers'],
  ['dependentRoutes', 'route.reconciliation_required'],
]

/** Throws for Nodes that the fleet cannot do without, and for the caller itself (NODE-092). */
export function requireUnprotected({ caller }: Call, node: NodeRecord, roles: readonly RoleName[]): void {
  if (roles.includes('gateway')) throw refusal('node.gateway_removal_forbidden', node)
  if (roles.includes('vpn')) throw refusal('node.vpn_removal_forbidden', node)
  if (caller?.id === node.id) throw refusal('node.self_removal_forbidden', node)
}

/** A silent Node may still have roles, Processes and old checkouts, which nobody can take away on it (NODE-095). */
export async function requireUnowned(
  owned: OwnedRecords,
  node: NodeRecord,
  roles: readonly RoleName[],
  isSilent: boolean,
): Promise<void> {
  for (const [what, code] of OWNED) {
    if ((what === 'processes' || what === 'openTransfers') && isSilent) continue
    const found = await owned[what](node.id)
    if (typeof found !== 'number') requireNoneOpen(node, found)
    else if (found > 0) throw refusal(code, node, { count: found })
    if (what === 'schedules' && roles.length > 0 && !isSilent)
      throw refusal('node.has_roles', node, { roles })
  }
}

/** Throws `instance.transfer_incomplete`, which names each by the request that finishes it. */
function requireNoneOpen({ id, name }: NodeRecord, transfers: readonly TransferRequest[]): void {
  const [first] = transfers
  if (!first) return
  throw fail('instance.transfer_incomplete', {
    message: `The transfer of an Instance to or from ${name} is not finished. Finish each that \`details\` name first: \`${transferCommand(first)}\`.`,
    details: { node: { id, name }, count: transfers.length, transfers },
  })
}

const refusal = (
  code: ErrorCode,
  { id, name }: NodeRecord,
  further: Readonly<Record<string, unknown>> = {},
) => fail(code, { details: { node: { id, name }, ...further } })
