import type { DoctorCodeSpec } from './types.ts'

const converge = 'node:converge {node} --force'

/** Codes of the family `route` (DRF-059). */
export const routeCodes = {
  'route.lifecycle_not_active': {
    kind: 'drift',
    summary: 'The Route is not active.',
    repair:
      'Send the request that failed again. A custom proxy that failed is destroyed with `fleet route:destroy` and created again.',
  },
  'route.dns_mismatch': {
    kind: 'drift',
    summary: 'The Node does not hear the address of the Route under its domain.',
    repair: 'Converge the Node that serves the private DNS: it publishes the names anew.',
  },
  'route.certificate_mismatch': {
    kind: 'drift',
    summary: 'What the Node shows under the domain is not the certificate of the Route.',
    repair: 'Converge the Node: it issues what is missing and builds its sites.',
    command: converge,
  },
  'route.caddy_mismatch': {
    kind: 'drift',
    summary: 'The site of the Route on the Node is not the one that the records make.',
    repair: 'Converge the Node: it builds its sites anew.',
    command: converge,
  },
  'route.upstream_unreachable': {
    kind: 'drift',
    summary: 'The service that the Route leads to does not take connections.',
    repair: 'Start the service on the Node.',
  },
  'route.inspection_failed': {
    kind: 'unverifiable',
    summary: 'A check of the Route could not be made.',
    repair: 'Ask Doctor again.',
  },
  'route.node_unreachable': {
    kind: 'unverifiable',
    summary: 'The Node of the Route does not answer.',
    repair: 'Bring the Node back.',
  },
} as const satisfies Record<`route.${string}`, DoctorCodeSpec>
