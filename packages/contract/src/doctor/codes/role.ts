import { CONVERGE } from './converge.ts'
import type { DoctorCodeSpec } from './types.ts'

const again = 'node:role:add {node} {role} --converge-existing'
const remove = 'node:role:remove {node} {role}'
/** A Router belongs to its Cluster, which an issue does not name. */
const router = {
  router:
    'Set the Router of its Cluster again, which installs and starts what is missing: `fleet cluster:router:set CLUSTER {node_name}`. `fleet node:show {node_name}` shows the Cluster.',
}

/** Codes of the family `role` (DRF-029 to DRF-039). */
export const roleCodes = {
  'role.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The role is assigned but not active.',
    repair: 'Converge the role again, or repeat its removal if that is what failed.',
    repairOf: router,
    command: again,
    commandOf: { router: null, removing: remove, 'removal failed': remove },
  },
  'role.claim_stale': {
    kind: 'drift',
    summary: 'A change of the role started long ago and is no longer in progress.',
    repair: 'Converge the role again, or repeat its removal: either takes over the stale claim.',
    command: again,
    commandOf: { 'stale removal': remove },
  },
  'role.packages_missing': {
    kind: 'drift',
    summary: 'Packages that the role needs are missing.',
    repair: 'Converge the role again: it installs them.',
    repairOf: router,
    command: again,
    commandOf: { router: null },
  },
  'role.caddy_version_unsupported': {
    kind: 'drift',
    summary: 'The version of the web server is older than Fleet supports.',
    repair: 'Install Caddy 2.9 or newer on the Node.',
  },
  'role.caddy_build_drift': {
    kind: 'drift',
    summary: 'The web server configuration on the Node differs from the records.',
    repair: 'Converge the Node: it rewrites the configuration.',
    command: CONVERGE,
  },
  'role.services_inactive': {
    kind: 'drift',
    summary: 'A service of the role is not running, or does not start at boot.',
    repair: 'Converge the role again: it starts its services, now and at boot.',
    repairOf: router,
    command: again,
    commandOf: { vpn: CONVERGE, router: null },
  },
  'role.firewall_projection_mismatch': {
    kind: 'drift',
    summary: 'The firewall rules of the role are missing or differ from what the role needs.',
    repair: 'Converge the Node: it restores the rules of its roles.',
    command: CONVERGE,
  },
  'role.dns_projection_mismatch': {
    kind: 'drift',
    summary:
      'The answers of the private DNS differ from the records, or it asks other resolvers than its machine does.',
    repair:
      'Converge the Node that serves the DNS: it publishes the names again, and takes over the resolvers of the machine.',
    command: CONVERGE,
  },
  'role.certificate_mismatch': {
    kind: 'drift',
    summary:
      'The socket of the role does not serve a certificate of the fleet, or its certificate is about to expire.',
    repair: 'Restart the service that serves the certificate: it loads a new one, or is issued one.',
    repairOf: {
      websocket:
        'Converge the role again: it issues and loads a certificate. If the server keeps its old one, restart it on the Node: systemctl restart fleet-websocket',
      gateway:
        'Restart the gateway on its Node: it issues a certificate when it starts. systemctl restart fleet-gateway',
    },
    commandOf: { websocket: again },
  },
  'role.root_ending': {
    kind: 'drift',
    summary:
      'The root certificate of the fleet ends soon or has ended: from then on, no certificate of the fleet is accepted.',
    repair:
      'On the gateway, run `fleet-gateway renew-root`, then `systemctl restart fleet-gateway`. Then converge each Node with `--force`.',
  },
  'role.dns_snippet_conflict': {
    kind: 'drift',
    summary: 'The resolver of the machine is not configured for the fleet.',
    repair:
      'Converge the Node: it configures the link of the tunnel and /etc/resolv.conf, and keeps a backup of a replaced file beside it.',
    command: CONVERGE,
  },
  'role.private_dns_route_mismatch': {
    kind: 'drift',
    summary: "The machine does not use the private DNS for the fleet's names.",
    repair:
      'Converge the Node: it routes the private suffix to the private DNS, and keeps a backup of a replaced /etc/resolv.conf beside it.',
    command: CONVERGE,
  },
  'role.vpn_inactive': {
    kind: 'drift',
    summary: 'The hub of the private network is down, or a tunnel does not start at boot.',
    repair: 'Converge the Node: it starts the tunnel, now and at boot.',
    command: CONVERGE,
  },
  'role.vpn_projection_mismatch': {
    kind: 'drift',
    summary:
      'The peers of the hub, or the files with which the tunnel of the Node starts, differ from the records.',
    repair:
      'Converge the Node: it publishes the peers and writes the files again. A tunnel with another configuration is restarted.',
    command: CONVERGE,
  },
  'role.singleton_conflict': {
    kind: 'drift',
    summary: 'More than one Node has a role that only one Node can have.',
    repair: 'Remove the role from the Node that should not have it.',
    command: remove,
  },
  'role.assignment_conflict': {
    kind: 'drift',
    summary: 'The Node has two conflicting roles.',
    repair: 'Remove one of the two roles.',
    command: remove,
  },
  'role.cluster_ownership_mismatch': {
    kind: 'drift',
    summary: 'The Node has a role of a Cluster that it does not belong to.',
    repair: 'Attach the Node to its Cluster, or remove the role.',
    command: remove,
  },
  'role.cluster_cardinality_conflict': {
    kind: 'drift',
    summary: 'More than one Node of the Cluster has a role that only one of them can have.',
    repair: 'Remove the role from the Node that should not have it.',
    command: remove,
  },
  'role.cluster_router_missing': {
    kind: 'drift',
    summary: 'The Cluster is active and has no Router, so no domain of its Routes leads anywhere.',
    repair:
      'Make a member its Router; `fleet cluster:show {name}` lists them. Or give its Routes back to their Nodes: `fleet cluster:update {name} --state inactive`.',
    command: 'cluster:router:set {name} {node}',
  },
  'role.php_pool_directory_missing': {
    kind: 'drift',
    summary: 'The directory of a PHP pool is missing, so the pool does not run.',
    repair:
      'Restore the application directory in the checkout, or destroy the Instance. Then converge the Node: it publishes the pool.',
    command: CONVERGE,
  },
  'role.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node, so its roles could not be checked.',
    repair: 'Resolve what the check reports of the Node itself, then run the check again.',
    command: 'doctor:run --node {node}',
  },
  'role.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the role could not be completed.',
    repair: 'Run the check again. If it still fails, inspect the machine.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`role.${string}`, DoctorCodeSpec>
