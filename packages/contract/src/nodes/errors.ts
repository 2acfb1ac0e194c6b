import type { ErrorSpec } from '@fleet/kernel'

export const nodeErrors = {
  'node.not_found': { status: 404, message: 'No Node has this id.', retry: 'change' },
  'node.not_active': { status: 409, message: 'The Node is not active.', retry: 'none' },
  'node.name_taken': { status: 409, message: 'Another Node has this name.', retry: 'change' },
  'node.provisioning_busy': {
    status: 409,
    message: 'Another operation is using this Node name.',
    retry: 'wait',
  },
  'node.lock_lost': {
    status: 409,
    message: 'The operation lost its lock and stopped before its next command.',
    retry: 'repeat',
  },
  'node.unreachable': { status: 502, message: 'The Node does not answer over SSH.', retry: 'wait' },
  'node.connection_lost': {
    status: 502,
    message: 'The connection to the Node ended during a command, so the outcome of the command is unknown.',
    retry: 'repeat',
  },
  'node.authentication_failed': {
    status: 502,
    message: 'The Node refused the SSH key of the gateway.',
    retry: 'none',
  },
  'node.ssh_host_key_changed': {
    status: 502,
    message: 'The SSH host key of the Node is not the pinned one, so nothing was sent.',
    retry: 'none',
  },
  'node.ssh_host_key_missing': {
    status: 409,
    message: 'The Node has no pinned SSH host key.',
    retry: 'none',
  },
  'node.command_failed': { status: 502, message: 'A command on the Node failed.', retry: 'wait' },
  'node.output_too_large': {
    status: 502,
    message: 'A command on the Node printed more output than the gateway accepts.',
    retry: 'none',
  },
  'node.capability_missing': {
    status: 409,
    message:
      'The Node lacks a capability that this operation needs. Embedded Nodes have no system services; the lab has real hosts.',
    retry: 'none',
  },
  'node.settings_invalid': {
    status: 422,
    message: 'Node settings have one member, `apps`, with `path`.',
    retry: 'change',
  },
  'node.settings_path_invalid': {
    status: 422,
    message:
      'The apps path must be absolute and normalized, without double quotes, backslashes, backticks, braces and dollar signs.',
    retry: 'change',
  },
  'node.settings_path_protected': {
    status: 422,
    message: 'The apps path is inside a directory that belongs to Fleet or the system.',
    retry: 'change',
  },
  'node.settings_path_managed': {
    status: 422,
    message: 'The apps path is an Instance checkout or is inside one.',
    retry: 'change',
  },
  'node.settings_root_failed': {
    status: 502,
    message: 'The apps path cannot be used on the Node.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>

/** What any operation that runs a command on a Node can answer because of the Node, its connection or the time. */
export const commandErrors = [
  'node.unreachable',
  'node.connection_lost',
  'node.authentication_failed',
  'node.ssh_host_key_changed',
  'node.ssh_host_key_missing',
  'node.output_too_large',
  'command.deadline_exceeded',
] as const satisfies readonly (keyof typeof nodeErrors | 'command.deadline_exceeded')[]

/** What any operation that changes something on a Node, under a lock, can answer because of the Node. */
export const changeErrors = [
  'node.capability_missing',
  'node.command_failed',
  'node.lock_lost',
  ...commandErrors,
] as const satisfies readonly (keyof typeof nodeErrors | 'command.deadline_exceeded')[]
