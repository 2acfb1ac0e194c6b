import type { DoctorCodeSpec } from './types.ts'

/** Repairs the Node that an issue is about: the examined one, or the Router before it. */
const converge = 'node:converge {related} --force'

/** Codes of the family `instance` about its Routes (DOC-008 to DOC-016, DOC-023). */
export const instanceRoutingCodes = {
  'instance.private_routing_scope_mismatch': {
    kind: 'drift',
    summary:
      'A Route of the Instance is published by another Node or Cluster than the one that the Instance is on.',
    repair:
      'Detach the Node from its Cluster and attach it again, or the other way round: each publishes its Routes where the Node belongs.',
    command: 'cluster:list',
  },
  'instance.router_caddy_mismatch': {
    kind: 'drift',
    summary: 'The site of the Instance on the Router differs from the records.',
    repair: 'Converge the Router: it rebuilds its sites.',
    command: converge,
  },
  'instance.workload_caddy_mismatch': {
    kind: 'drift',
    summary: 'The site of the Instance on its Node differs from the records.',
    repair: 'Converge the Node: it rebuilds its sites and keeps a backup of what was edited.',
    command: converge,
  },
  'instance.caddy_projection_mismatch': {
    kind: 'drift',
    summary: 'The site of the production Instance on its Node differs from the records.',
    repair: 'Converge the Node: it rebuilds its sites and keeps a backup of what was edited.',
    command: converge,
  },
  'instance.private_certificate_mismatch': {
    kind: 'drift',
    summary: 'The certificate of a Route of the Instance is missing, has expired or is for another name.',
    repair: 'Converge the Node: it issues missing certificates and loads them.',
    command: converge,
  },
  'instance.private_dns_mismatch': {
    kind: 'drift',
    summary:
      'The Node of the Instance does not resolve the domain of the Instance to the Node that serves it.',
    repair:
      'Converge the Node that serves the private DNS: it publishes the names again. If Doctor also reports the resolver of the Node itself, converge that Node.',
    command: converge,
  },
  'instance.private_firewall_mismatch': {
    kind: 'drift',
    summary: 'The firewall of the Node does not admit the members of the private network to the Instance.',
    repair: 'Converge the Node: it restores its rules.',
    command: converge,
  },
  'instance.laravel_url_mismatch': {
    kind: 'drift',
    summary: '`APP_URL` differs from the domain of the Route that serves the application.',
    repair: 'Converge the Node: it writes the domains of its Routes into the applications.',
    command: converge,
  },
  'instance.target_set_mismatch': {
    kind: 'drift',
    summary: 'The Router sends requests for the Instance to other targets than the records name.',
    repair: 'Converge the Router: it rebuilds its sites.',
    command: converge,
  },
  'instance.route_association_mismatch': {
    kind: 'drift',
    summary: 'The Instance does not have exactly one Route of its own.',
    repair:
      'Destroy the Instance and create it again: a Route is created with its Instance. Work that no branch has must be pushed first.',
    command: 'instance:destroy {id}',
  },
  'instance.related_node_unverifiable': {
    kind: 'unverifiable',
    summary: 'The Router before the Instance does not answer, so its part could not be checked.',
    repair: 'Check the Router itself and resolve what that reports.',
    command: 'doctor:run --node {related}',
  },
  'instance.removal_stuck': {
    kind: 'drift',
    summary: 'The removal of the Instance began at least ten minutes ago and has not ended.',
    repair:
      'Run the same removal again: it resumes at the first unfinished step. If the Node or its Router is lost, add `--offline --force`.',
    command: 'instance:destroy {id}',
    commandOf: { 'by force': 'instance:destroy {id} --force' },
  },
  'instance.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Instance could not be completed.',
    repair: 'Run the check again.',
    command: 'doctor:run --node {node}',
  },
  'instance.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node of the Instances, so they could not be checked.',
    repair: 'Check the Node itself and resolve what that reports.',
    command: 'doctor:run --node {node}',
  },
} as const satisfies Record<`instance.${string}`, DoctorCodeSpec>
