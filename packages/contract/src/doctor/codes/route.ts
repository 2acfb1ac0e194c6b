import type { DoctorCodeSpec } from './types.ts'

const converge = 'node:converge {node} --force'

/** Codes of the family `route` (DRF-059). */
export const routeCodes = {
  'route.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The Route is not active.',
    repair: '`fleet route:show {name}` says at which step it stopped and names the command that helps.',
  },
  'route.target_set_unfinished': {
    kind: 'drift',
    summary: 'A change of the Instances of the Route stopped before its end.',
    repair:
      'Repeat the request: it resumes where it stopped. Before the set is stored, one that names the present targets gives the change up.',
    command: 'route:target:set {id} {observed}',
  },
  'route.publication_unfinished': {
    kind: 'drift',
    summary: 'The Route is private by its record, and its ingress may still serve it to the public.',
    repair: 'Repeat the request that closes it.',
    command: 'route:update {id} --publication private',
  },
  'route.web_root_unfinished': {
    kind: 'drift',
    summary: 'A change of the web root of the Route stopped before its end, so its Node may have both.',
    repair:
      'Name the web root that the Route has, which the command shows: `fleet route:update {id} --web-root PATH`, or `--no-web-root` for one without. That finishes the change, or takes it back where the other one was not served yet.',
    command: 'route:show {id}',
  },
  'route.dns_mismatch': {
    kind: 'drift',
    summary: 'The Node does not resolve the domain of the Route to its address.',
    repair: 'Converge the Node that serves the private DNS: it publishes the names again.',
    command: 'node:converge {related} --force',
  },
  'route.certificate_mismatch': {
    kind: 'drift',
    summary: 'The certificate that the Node serves for the domain is not that of the Route.',
    repair: 'Converge the Node: it issues missing certificates and rebuilds its sites.',
    command: converge,
  },
  'route.caddy_mismatch': {
    kind: 'drift',
    summary: 'The site of the Route on the Node differs from the records.',
    repair: 'Converge the Node: it rebuilds its sites.',
    command: converge,
  },
  'route.upstream_unreachable': {
    kind: 'drift',
    summary: 'The target service of the Route does not accept connections.',
    repair:
      'Start the service on the Node. `fleet route:show {name}` names its port, or the Process to start with `fleet process:start`.',
  },
  'route.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Route could not be completed.',
    repair: 'Run the check again.',
  },
  'route.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The gateway cannot run commands on the Node of the Route, so it could not be checked.',
    repair: 'Check the Node itself and resolve what that reports: `fleet doctor:run --node NODE`.',
  },
} as const satisfies Record<`route.${string}`, DoctorCodeSpec>
