import type { ErrorSpec } from '@fleet/kernel'

export const transferErrors = {
  'instance.production_refused': {
    status: 409,
    message: 'A production Instance cannot be transferred. Clone it with `fleet instance:clone`.',
    retry: 'none',
  },
  'instance.same_node': { status: 409, message: 'The Instance is on this Node already.', retry: 'change' },
  'instance.standalone_unsupported': {
    status: 409,
    message: 'A transfer needs two Nodes that are members of active Clusters.',
    retry: 'none',
  },
  'instance.destination_exists': {
    status: 409,
    message: 'The checkout path on the destination Node is already in use.',
    retry: 'change',
  },
  'instance.transfer_retry_conflict': {
    status: 409,
    message: 'Another transfer of the Instance is open. Repeat the request that began it.',
    retry: 'change',
  },
  'instance.transfer_incomplete': {
    status: 409,
    message: 'A transfer of the Instance is open. Repeat the request that began it, then try again.',
    retry: 'change',
  },
  'instance.transfer_failed': {
    status: 502,
    message: 'The transfer failed, and the Instance runs on its Node as before.',
    retry: 'repeat',
  },
  'instance.transfer_cleanup_incomplete': {
    status: 502,
    message:
      'The Instance was moved to the destination Node, but the transfer is not finished. Repeat the request to resume it.',
    retry: 'repeat',
  },
  'instance.transfer_cleanup_conflict': {
    status: 409,
    message:
      'The Instance was moved, and its old checkout has changed since. Take what you need from there, undo the change or delete the checkout, and repeat the request.',
    retry: 'repeat',
  },
  'instance.transfer_source_router_unknown': {
    status: 409,
    message: 'The Cluster of the source Node has no active Router.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
