import type { ErrorSpec } from '@fleet/kernel'

export const processErrors = {
  'process.name_taken': {
    status: 409,
    message:
      'This owner already has a Process with this name but another specification. Destroy it first (`fleet process:destroy`), or choose another name.',
    retry: 'change',
  },
  'process.target_inactive': {
    status: 409,
    message: 'The Node or the Instance of the Process is not active.',
    retry: 'none',
  },
  'process.not_active': {
    status: 409,
    message:
      'The Process is not installed: its creation or removal did not finish. Repeat that request to finish it.',
    retry: 'none',
  },
  'process.release_unavailable': {
    status: 409,
    message: 'The production Instance has no selected release to run: it was not deployed yet.',
    retry: 'change',
  },
  'process.operation_busy': {
    status: 409,
    message: 'Another operation is using the Instance of this Process.',
    retry: 'wait',
  },
  'process.runtime_lock_failed': {
    status: 409,
    message: 'Another operation is changing this Process.',
    retry: 'wait',
  },
  'process.user_unavailable': {
    status: 422,
    message: 'The account does not exist on the Node, is root, or has no usable home directory.',
    retry: 'change',
  },
  'process.platform_unsupported': {
    status: 422,
    message: 'A macOS Node runs no Processes.',
    retry: 'change',
  },
  'process.preset_unavailable': {
    status: 409,
    message: 'This version of the gateway cannot run this preset. Use a command of your own.',
    retry: 'change',
  },
  'process.unit_conflict': {
    status: 409,
    message:
      'A systemd unit of this name exists on the Node and was not created for this Process, so it was not changed. Remove or rename it there, then run the same command again.',
    retry: 'none',
  },
  'process.container_conflict': {
    status: 409,
    message:
      'A container of this name exists on the Node and was not created for this Process, so it was not changed. Remove or rename it there, then run the same command again.',
    retry: 'none',
  },
  'process.port_unavailable': {
    status: 409,
    message:
      'A published port of the Process cannot be bound on the Node: another program uses it, or the Node does not have this address.',
    retry: 'change',
  },
  'process.image_unavailable': {
    status: 502,
    message:
      'The image of the Process is not on the Node, and Docker could not pull it. Check its name, or load it there (`docker load`).',
    retry: 'repeat',
  },
  'process.has_routes': {
    status: 409,
    message: 'A Route leads to the Process. Remove that first: `fleet route:destroy ROUTE`.',
    retry: 'none',
  },
  'process.required_by_database_server': {
    status: 409,
    message:
      'The Process runs a database server. Remove that instead: `fleet database:server:destroy SERVER`.',
    retry: 'none',
  },
  'process.runtime_failed': {
    status: 502,
    message: 'The service manager of the Node did not carry out the change of the Process.',
    retry: 'repeat',
  },
  'process.logs_failed': {
    status: 502,
    message: 'The Node could not read the log of the Process.',
    retry: 'repeat',
  },
  'process.node_unreachable': {
    status: 502,
    message:
      'The Node of the Process does not answer. Try again when it does, or remove the Process with `--offline`: the rest is then removed when the Node is back.',
    retry: 'wait',
  },
} as const satisfies Record<string, ErrorSpec>
