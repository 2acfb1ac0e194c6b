import type { ErrorSpec } from '@fleet/kernel'

export const agentErrors = {
  'agent.secret_required': {
    status: 401,
    message: 'This endpoint needs the secret of the Node agent as a bearer value.',
    retry: 'change',
  },
  'agent.secret_invalid': {
    status: 403,
    message: 'The secret is not the one of the agent of this Node.',
    retry: 'none',
  },
  'agent.node_ineligible': {
    status: 403,
    message: 'The calling Node is not a managed Linux Node, so it has no agent.',
    retry: 'none',
  },
  'agent.channel_forbidden': {
    status: 403,
    message: 'The channel belongs to another Node, or is none of an agent.',
    retry: 'change',
  },
  'agent.checksum_mismatch': {
    status: 502,
    message: 'The executable of the agent did not arrive whole on the Node; the one before it stays.',
    retry: 'repeat',
  },
  'agent.converge_busy': {
    status: 409,
    message: 'Another operation sets the agent of this Node up.',
    retry: 'wait',
  },
  'agent.converge_lock_lost': {
    status: 409,
    message: 'The operation lost its lock on the agent, so it stopped before its next command.',
    retry: 'repeat',
  },
  'agent.not_configured': {
    status: 409,
    message: 'This gateway has no private network at whose address an agent could ask it.',
    retry: 'none',
  },
  'realtime.not_configured': {
    status: 404,
    message: 'No active Node has the `websocket` role.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>
