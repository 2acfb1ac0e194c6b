import type { ErrorSpec } from '@fleet/kernel'

/** Codes that belong to no single family, and those of the gateway itself. */
export const gatewayErrors = {
  'http.403': {
    status: 403,
    message: 'A page of another origin may not act through this browser.',
    retry: 'none',
  },
  'http.404': { status: 404, message: 'No such path.', retry: 'change' },
  'http.405': { status: 405, message: 'This path does not take this method.', retry: 'change' },
  'http.408': { status: 408, message: 'The request did not arrive in time.', retry: 'repeat' },
  'http.413': { status: 413, message: 'The request body is too large.', retry: 'change' },
  'http.415': { status: 415, message: 'The request body must be application/json.', retry: 'change' },
  'http.421': {
    status: 421,
    message:
      'The gateway does not serve the host name of this request. FLEET_GATEWAY_NAMES adds names that it serves.',
    retry: 'change',
  },
  'http.431': { status: 431, message: 'The request head is too large.', retry: 'change' },
  'http.400': { status: 400, message: 'The request is not valid HTTP.', retry: 'change' },
  'http.500': {
    status: 500,
    message:
      'The gateway failed while it handled the request. Its log names the cause under this request id.',
    retry: 'wait',
  },
  'http.busy': {
    status: 503,
    message: 'The gateway has as many requests in hand as it takes. Repeat the request shortly.',
    retry: 'wait',
  },
  'http.draining': {
    status: 503,
    message: 'The gateway is stopping and takes no new work. Repeat the request shortly.',
    retry: 'wait',
  },
  'validation.failed': {
    status: 422,
    message: 'The request has members that are not valid.',
    retry: 'change',
  },
  'peer.identity_unknown': {
    status: 403,
    message: 'The caller address does not belong to an active Node.',
    retry: 'none',
  },
  'node_access.required': {
    status: 403,
    message: 'The calling Node has no access grant to the Node concerned.',
    retry: 'none',
  },
  'extension.disabled': { status: 409, message: 'The extension is disabled.', retry: 'none' },
  'gateway.release_returned': {
    status: 502,
    message: 'The new release of the gateway failed, and the one before it came back with its records.',
    retry: 'change',
  },
  'ca.unavailable': { status: 503, message: 'The root certificate cannot be read.', retry: 'wait' },
  'command.deadline_exceeded': {
    status: 504,
    message: 'The remote work did not end within the time of one request.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
