import type { NextSteps } from './step.ts'

/** The gateway itself and the requests that it takes. */
export const gatewaySteps = {
  'peer.identity_unknown':
    'Run the command on an active Node. In the embedded fleet, choose one with --from node-1.',
  'node_access.required': 'A Node that has access can grant it: fleet node:access:add SERVING CONSUMER',
  'ca.unavailable':
    'On the gateway: put ca/root.crt and ca/root.key of a backup into FLEET_HOME. If the root has ended: fleet-gateway renew-root',
  'gateway.storage_full':
    'On the machine of the gateway: df -h shows the full file system. Free space there, then run the same command again.',
  'http.500': 'Search the log of the gateway for the request id.',
  'http.403': 'Use the command line, or open the page of the gateway itself.',
  'http.400': 'The client and the gateway may be of different releases: fleet gateway:status',
  'http.404': 'The client and the gateway may be of different releases: fleet gateway:status',
  'http.405': 'The client and the gateway may be of different releases: fleet gateway:status',
  'http.413': 'Send less. The help of the command shows the limits of each argument.',
  'http.415': 'Send JSON with the header content-type: application/json.',
  'http.421': 'fleet gateway:status works by the name and by the address of the gateway.',
  'http.431': 'Send shorter headers and a shorter path.',
  'extension.disabled': 'fleet gateway:status shows the gateway.',
  'gateway.release_returned': 'On the gateway: journalctl -u fleet-gateway shows which check failed.',
  'activity.not_found': 'fleet activity:list shows the latest Activities.',
} as const satisfies NextSteps
