import type { ErrorSpec } from '@fleet/kernel'

/** Codes that belong to no single family, and those of the gateway itself. */
export const gatewayErrors = {
  'http.403': {
    status: 403,
    message: 'Cross-origin requests are not allowed.',
    retry: 'none',
  },
  'http.404': { status: 404, message: 'No such path.', retry: 'change' },
  'http.405': { status: 405, message: 'This path does not support this method.', retry: 'change' },
  'http.408': { status: 408, message: 'The request did not arrive in time.', retry: 'repeat' },
  'http.413': { status: 413, message: 'The request body is too large.', retry: 'change' },
  'http.415': { status: 415, message: 'The request body must be application/json.', retry: 'change' },
  'http.421': {
    status: 421,
    message:
      'The gateway does not serve the host name of this request. To add a name, set FLEET_GATEWAY_NAMES.',
    retry: 'change',
  },
  'http.431': { status: 431, message: 'The request head is too large.', retry: 'change' },
  'http.400': { status: 400, message: 'The request is not valid HTTP.', retry: 'change' },
  'http.500': {
    status: 500,
    message: 'The gateway failed while handling the request. Its log has the cause under this request id.',
    retry: 'wait',
  },
  'gateway.storage_full': {
    status: 507,
    message:
      'The disk of the gateway is full, so nothing can be recorded, and no work is begun or continued. What was stored is kept.',
    retry: 'wait',
  },
  'http.busy': {
    status: 503,
    message: 'The gateway is at its request limit. Retry in a moment.',
    retry: 'wait',
  },
  'http.draining': {
    status: 503,
    message: 'The gateway is stopping and accepts no new requests. Retry in a moment.',
    retry: 'wait',
  },
  'validation.failed': {
    status: 422,
    message: 'The request has invalid members.',
    retry: 'change',
  },
  'peer.identity_unknown': {
    status: 403,
    message: 'The source address of the request does not belong to an active Node.',
    retry: 'none',
  },
  'node_access.required': {
    status: 403,
    message: 'The calling Node has no access grant for this Node.',
    retry: 'none',
  },
  'extension.disabled': { status: 409, message: 'The extension is disabled.', retry: 'none' },
  'gateway.release_returned': {
    status: 502,
    message:
      'The new release failed its checks. The gateway was rolled back to the previous release and its records.',
    retry: 'change',
  },
  'ca.unavailable': {
    status: 503,
    message:
      'The root certificate of the fleet, or its key, is lost or damaged in `ca` below FLEET_HOME on the gateway, or the root has ended.',
    retry: 'none',
  },
  'command.deadline_exceeded': {
    status: 504,
    message: 'The remote work did not finish within the time limit of the request.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
