import type { ErrorSpec } from '@fleet/kernel'

export const clusterErrors = {
  'cluster.not_found': { status: 404, message: 'No Cluster has this id.', retry: 'change' },
  'cluster.update_required': {
    status: 422,
    message: 'The request must contain at least one member to change.',
    retry: 'change',
  },
  'cluster.state_invalid': {
    status: 422,
    message: 'The state of a Cluster must be `inactive` or `active`.',
    retry: 'change',
  },
  'cluster.tld_conflict': {
    status: 409,
    message:
      'The top-level domain belongs to another Cluster, or to a Node that is or would be outside this one.',
    retry: 'change',
  },
  'cluster.router_required': {
    status: 409,
    message: 'An active Cluster with a top-level domain or with Routes needs an active Router.',
    retry: 'none',
  },
  'cluster.router_busy': {
    status: 409,
    message: 'Another operation is changing this Cluster.',
    retry: 'wait',
  },
  'cluster.router_node_invalid': {
    status: 409,
    message: 'The Router must be an active member of its Cluster.',
    retry: 'change',
  },
  'cluster.routes_require_router': {
    status: 409,
    message: 'The Cluster still has Routes, which need its Router.',
    retry: 'none',
  },
  'cluster.active_router_required': {
    status: 409,
    message: 'An active Cluster with a top-level domain must keep its Router.',
    retry: 'none',
  },
  'cluster.node_inactive': { status: 409, message: 'The Node is not active.', retry: 'none' },
  'cluster.membership_conflict': {
    status: 409,
    message: 'The Node is a member of another Cluster.',
    retry: 'none',
  },
  'cluster.membership_missing': {
    status: 409,
    message: 'The Node is not a member of this Cluster.',
    retry: 'none',
  },
  'cluster.lan_ip_conflict': {
    status: 409,
    message: 'Another member of the Cluster has the same LAN address.',
    retry: 'none',
  },
  'cluster.router_detach_forbidden': {
    status: 409,
    message: 'The Node is the Router of the Cluster, or a candidate for it. Replace or clear it first.',
    retry: 'none',
  },
  'cluster.ingress_detach_forbidden': {
    status: 409,
    message: 'The Node has the ingress role of the Cluster.',
    retry: 'none',
  },
  'cluster.not_empty': { status: 409, message: 'The Cluster still has members.', retry: 'none' },
  'cluster.has_routes': { status: 409, message: 'The Cluster still has Routes.', retry: 'none' },
  'route.tld_required': {
    status: 409,
    message: 'A generated domain would lose its top-level domain.',
    retry: 'none',
  },
  'route.reconciliation_required': {
    status: 409,
    message: 'A Route cannot be adapted to this change.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>
