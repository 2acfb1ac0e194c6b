import type { ErrorSpec } from '@fleet/kernel'

/** Codes of removing a Node (facts 3.9). */
export const nodeRemovalErrors = {
  'node.has_routes': { status: 409, message: 'The Node serves Routes.', retry: 'none' },
  'schedule.target_in_use': {
    status: 409,
    message:
      'Schedules target this Node, or this Instance. Destroy them first (`fleet schedule:list`, `fleet schedule:destroy`).',
    retry: 'none',
  },
  'node.has_roles': { status: 409, message: 'The Node still has roles. Remove them first.', retry: 'none' },
  'node.has_processes': { status: 409, message: 'The Node runs Processes.', retry: 'none' },
  'node.has_firewall_rules': {
    status: 409,
    message: 'The Node still has firewall rules of operators. Remove them first.',
    retry: 'none',
  },
  'node.has_database_servers': {
    status: 409,
    message:
      'The Node runs database servers. Remove the databases of each (`fleet database:server:show SLUG`, `fleet database:destroy SLUG`), then the server (`fleet database:server:destroy SLUG`); both take `--offline` if the machine is lost for good.',
    retry: 'none',
  },
  'node.self_removal_forbidden': {
    status: 409,
    message: 'A Node cannot remove itself. Send the request from another Node.',
    retry: 'none',
  },
  'node.gateway_removal_forbidden': {
    status: 409,
    message: 'The Node has the role `gateway`. Relocate that role first.',
    retry: 'none',
  },
  'node.vpn_removal_forbidden': {
    status: 409,
    message: 'The Node is the hub of the private network.',
    retry: 'none',
  },
  'node.confirmation_required': {
    status: 409,
    message: 'The Node does not answer, so everything on its machine would stay there. Confirm with `force`.',
    retry: 'change',
  },
  'node.grafana_access_revocation_failed': {
    status: 502,
    message: 'The Grafana sessions of the Node could not be ended.',
    retry: 'repeat',
  },
  'node.metrics_reconcile_failed': {
    status: 502,
    message: 'The metrics exporters of the Node could not be removed.',
    retry: 'repeat',
  },
  'node.wireguard_projection_failed': {
    status: 502,
    message: 'The tunnel peer of the Node could not be removed from the hub.',
    retry: 'repeat',
  },
  'router.lan_ingress_failed': {
    status: 502,
    message: 'The Router rules of the Cluster could not be updated.',
    retry: 'repeat',
  },
  'node.dns_projection_failed': {
    status: 502,
    message: 'The private DNS could not be published without the Node.',
    retry: 'repeat',
  },
  'node.persistence_failed': {
    status: 502,
    message: 'The records of the Node could not be deleted.',
    retry: 'repeat',
  },
  'node.removal_rollback_failed': {
    status: 502,
    message:
      'A step of the removal failed, and an earlier step could not be rolled back. Repeat the removal.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
