import * as z from 'zod'
import { operation } from '../operation.ts'
import { flag, id } from '../params.ts'
import { roleNames } from './records.ts'

/** What became of a Node that was removed (NODE-085). */
export const nodeRemoval = z.strictObject({
  id,
  name: z.string(),
  removed: z.boolean(),
  /** False when the hub knew no peer of this Node. */
  wireguard_peer_removed: z.boolean(),
  /** Names that the private DNS answered for it. */
  dns_records_removed: z.int().min(0),
  /** What works less well now; null when nothing does. */
  degradation: z.string().nullable(),
  /** Roles that a Node which did not answer lost on the gateway's side. */
  roles_shed: z.array(z.enum(roleNames)),
  /** What stays on the machine. */
  retained_on_node: z.array(z.string()),
  /** What a person may want to do about it. */
  follow_up: z.string().nullable(),
})
export type NodeRemovalData = z.output<typeof nodeRemoval>

export const nodeRemove = operation({
  name: 'node:remove',
  group: 'Nodes',
  method: 'DELETE',
  path: '/nodes/{node}',
  access: 'node',
  input: z.strictObject({
    node: id,
    force: flag.optional().describe('Confirm the removal of a Node that does not answer.'),
    offline: flag
      .optional()
      .describe('Remove the Node even if it does not answer. Its machine is not changed.'),
  }),
  output: nodeRemoval,
  watchable: true,
  errors: [
    'node.capability_missing',
    'node.has_instances',
    'instance.transfer_incomplete',
    'node.has_routes',
    'schedule.target_in_use',
    'node.has_roles',
    'node.has_processes',
    'node.has_firewall_rules',
    'node.has_database_servers',
    'route.reconciliation_required',
    'node.self_removal_forbidden',
    'node.gateway_removal_forbidden',
    'node.vpn_removal_forbidden',
    'node.confirmation_required',
    'node.grafana_access_revocation_failed',
    'node.metrics_reconcile_failed',
    'node.firewall_recovery_failed',
    'node.wireguard_projection_failed',
    'router.lan_ingress_failed',
    'node.dns_projection_failed',
    'node.persistence_failed',
    'node.removal_rollback_failed',
    'node.provisioning_busy',
    'node.lock_lost',
    'command.deadline_exceeded',
  ],
  unknown: { node: 'node.not_found' },
  summary: 'Remove a Node from the fleet',
  description:
    'Fails while records such as Instances or roles still depend on the Node. Opens public SSH again, removes the Node from the private network and the private DNS, and deletes its record and grants. If a step fails, the earlier steps are rolled back. With `offline`, a Node that does not answer is removed from the gateway only, including its roles and Processes; the response lists what stays on the machine.',
})
