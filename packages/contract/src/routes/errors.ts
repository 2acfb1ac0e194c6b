import type { ErrorSpec } from '@fleet/kernel'
import { phpPublicationErrors } from '../php/errors.ts'

export const routeErrors = {
  'route.not_found': { status: 404, message: 'No Route has this id.', retry: 'change' },
  'route.domain_invalid': {
    status: 422,
    message:
      'Not a valid domain: it must have two or more labels of 1 to 63 letters, digits and inner hyphens, the last of them not a number. Write other letters in Punycode (`xn--…`).',
    retry: 'change',
  },
  'route.domain_conflict': {
    status: 409,
    message: 'Another Route, or Fleet itself, already uses this domain.',
    retry: 'change',
  },
  'route.retry_conflict': {
    status: 409,
    message:
      'This owner already has a Route with this domain but other values. Destroy it first, or send the same values.',
    retry: 'change',
  },
  'route.scope_required': {
    status: 422,
    message: 'A Route needs `instance_id`, or for a custom proxy `node_id`, the Node that serves it.',
    retry: 'change',
  },
  'route.upstream_invalid': {
    status: 422,
    message:
      'An upstream must be `http://` with a port on `127.0.0.1`, `localhost` or `[::1]`, without a path.',
    retry: 'change',
  },
  'route.process_conflict': {
    status: 409,
    message:
      'The Process is not one of the Node itself. A custom proxy leads to Processes of its own Node: `fleet process:list` shows them.',
    retry: 'change',
  },
  'route.upstream_unresolved': {
    status: 422,
    message: 'The Process does not listen on exactly one TCP port of the loopback address of its Node.',
    retry: 'change',
  },
  'route.node_inactive': {
    status: 409,
    message: 'The serving Node is not active, or has no address in the private network.',
    retry: 'none',
  },
  'route.target_inactive': { status: 409, message: 'The Instance is not active.', retry: 'none' },
  'route.web_root_release_missing': {
    status: 409,
    message:
      'The Instance has no selected release to serve a web root of. Deploy it first (`fleet instance:deploy`).',
    retry: 'change',
  },
  'route.web_root_unsafe': {
    status: 409,
    message:
      'In production a web root must end in a directory of its own, such as `apps/site/public`, outside the web root of the Instance: the `.env` of its application would be served otherwise.',
    retry: 'change',
  },
  'route.target_web_root_unsupported': {
    status: 409,
    message: 'The Instance has no web root for a Route to serve.',
    retry: 'none',
  },
  'route.target_app_conflict': {
    status: 409,
    message: 'The Instance belongs to another Project than the Route.',
    retry: 'change',
  },
  'route.pool_unsupported': {
    status: 409,
    message:
      'Only an explicit Route of a Cluster has a set of targets, and only production Instances are in it. A Route to one Instance takes `instance_id`.',
    retry: 'change',
  },
  'route.target_scope_conflict': {
    status: 409,
    message:
      'The Cluster of the Route must be active, and a target on an active Node of it that has the role `app-prod`. `details` name the Instance and its Node.',
    retry: 'change',
  },
  'route.target_disposition_required': {
    status: 422,
    message:
      'An Instance would leave the pool without a destination. Name it in `dispositions`: `route_id` for another Route, or `remove: true`. `details` name the Instances.',
    retry: 'change',
  },
  'route.target_disposition_invalid': {
    status: 422,
    message:
      'A disposition names an Instance that leaves the pool, once, and either another explicit Route of the Project in the same Cluster or `remove: true`. `details` name the Instance and the reason.',
    retry: 'change',
  },
  'route.target_set_conflict': {
    status: 409,
    message:
      'Another set of targets was requested for this Route, or for one that shares Instances with it, and has not ended. Repeat that request.',
    retry: 'change',
  },
  'route.web_root_unsupported': {
    status: 409,
    message: 'A Route with a web root has one target. Create another Route for the pool.',
    retry: 'change',
  },
  'route.tld_required': {
    status: 409,
    message:
      'The domain cannot be generated: neither the Node nor its active Cluster has a top-level domain. Set one, or name a `domain`.',
    retry: 'change',
  },
  'route.target_conflict': {
    status: 409,
    message:
      'The Route is the only one of an Instance, which would no longer be served. It is removed with the Instance: `fleet instance:destroy`.',
    retry: 'none',
  },
  'route.router_required': {
    status: 409,
    message: 'The Cluster has no active Router, so nothing would lead to the domain.',
    retry: 'none',
  },
  'route.kind_unsupported': {
    status: 409,
    message: 'This operation is for Routes to Instances. Destroy a custom proxy and create it again.',
    retry: 'change',
  },
  'route.reconciliation_required': {
    status: 409,
    message:
      'The Route cannot be changed in this way while it is as it is. A generated domain follows its Project, Node and Cluster; a Route that is not `active` has to be finished first.',
    retry: 'change',
  },
  'route.domain_change_conflict': {
    status: 409,
    message:
      'Another change of this domain has not ended. Repeat that request, or destroy the Route that replaces this one.',
    retry: 'change',
  },
  'route.web_root_update_separate': {
    status: 422,
    message: 'A web root is changed alone. Send `web_root` without other members.',
    retry: 'change',
  },
  'route.web_root_domain_immutable': {
    status: 409,
    message:
      'The domain of a Route with a web root does not change. Create another Route and destroy this one.',
    retry: 'change',
  },
  'route.web_root_conflict': {
    status: 409,
    message:
      'The own Route of an Instance of a framework serves the web root of the Instance. Create another Route for another directory.',
    retry: 'change',
  },
  'route.application_url_failed': {
    status: 502,
    message: 'The URL of the application could not be written on the Node. Its `.env` file is unchanged.',
    retry: 'repeat',
  },
  'route.private_path_failed': {
    status: 502,
    message:
      'A Node on the way to the Instances does not reach the next one with a certificate of the fleet. `details` give the Node and the address. The Route is not open to the public; repeat the request when the address answers.',
    retry: 'repeat',
  },
  'route.busy': { status: 409, message: 'Another operation is changing this Route.', retry: 'wait' },
  'route.node_unreachable': {
    status: 502,
    message:
      'A Node of the Route does not answer. Try again when it does, or remove the Route with `--offline`: the rest is then removed when the Node is back.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>

/** What can fail while a Route is opened to the public, or closed. */
export const edgeErrors = [
  'route.private_path_failed',
  'firewall.apply_failed',
  'firewall.verify_failed',
  'firewall.backend_inactive',
] as const

/** What can fail while a Node is made to serve a Route, or stops. */
export const servingErrors = [
  'app-dev.caddy_config_failed',
  'certificate.publication_failed',
  'certificate.owner_missing',
  'certificate.reload_failed',
  'ca.unavailable',
  ...phpPublicationErrors,
  'app-dev.source_access_failed',
  ...edgeErrors,
] as const

/** What can be wrong with the domain and the Node of a Route that an Instance gets. */
export const newRouteErrors = [
  'route.tld_required',
  'route.domain_invalid',
  'route.domain_conflict',
  'route.router_required',
  'route.node_inactive',
  'route.target_web_root_unsupported',
  'route.busy',
] as const

/** What can fail while a Route leads elsewhere: to another Instance, or from another domain or place. */
export const changedRouteErrors = [
  'route.application_url_failed',
  'route.busy',
  'env.operation_busy',
  ...servingErrors,
  'http.draining',
  'node.lock_lost',
] as const

/** What can go wrong where Routes get another domain or place together: by a top-level domain, a Cluster or a Router. */
export const movedRouteErrors = [
  'route.domain_invalid',
  'route.domain_conflict',
  ...changedRouteErrors,
] as const
