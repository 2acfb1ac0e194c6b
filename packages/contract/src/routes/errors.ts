import type { ErrorSpec } from '@fleet/kernel'

export const routeErrors = {
  'route.not_found': { status: 404, message: 'No Route has this id.', retry: 'change' },
  'route.domain_invalid': {
    status: 422,
    message: 'This is not a domain: two or more labels of letters, digits and hyphens.',
    retry: 'change',
  },
  'route.domain_conflict': {
    status: 409,
    message: 'Another Route owns this domain, or Fleet itself uses it.',
    retry: 'change',
  },
  'route.retry_conflict': {
    status: 409,
    message:
      'A Route of this owner has the domain with other values. Destroy it first, or send the same values.',
    retry: 'change',
  },
  'route.scope_required': {
    status: 422,
    message: 'A custom proxy needs the Node that serves it: name it by `node_id`.',
    retry: 'change',
  },
  'route.upstream_invalid': {
    status: 422,
    message: 'An upstream is `http://` with a port on `127.0.0.1`, `localhost` or `[::1]`, without a path.',
    retry: 'change',
  },
  'route.process_conflict': {
    status: 409,
    message: 'This is not a Process of the serving Node itself.',
    retry: 'change',
  },
  'route.node_inactive': {
    status: 409,
    message: 'The serving Node is not active, or has no address in the private network.',
    retry: 'none',
  },
  'route.target_inactive': { status: 409, message: 'The Instance is not active.', retry: 'none' },
  'route.target_web_root_unsupported': {
    status: 409,
    message: 'The Instance has no web root that a Route could serve.',
    retry: 'none',
  },
  'route.busy': { status: 409, message: 'Another operation changes this Route.', retry: 'wait' },
  'route.node_unreachable': {
    status: 502,
    message:
      'A Node of the Route does not answer. Repeat when it does, or remove the Route with `--offline`, which leaves the rest for when the Node comes back.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
