import type { ErrorSpec } from '@fleet/kernel'

export const agentErrors = {
  'agent.secret_required': {
    status: 401,
    message: 'This endpoint requires the secret of the Node agent as a bearer token.',
    retry: 'change',
  },
  'agent.secret_invalid': {
    status: 403,
    message: 'The secret is not that of the agent of this Node.',
    retry: 'none',
  },
  'agent.node_ineligible': {
    status: 403,
    message: 'The calling Node is not a managed Linux Node, so it has no agent.',
    retry: 'none',
  },
  'agent.channel_forbidden': {
    status: 403,
    message: 'Not an agent channel of this Node.',
    retry: 'change',
  },
  'agent.checksum_mismatch': {
    status: 502,
    message: 'The upload of the agent was incomplete. The previous version is still running.',
    retry: 'repeat',
  },
  'agent.converge_busy': {
    status: 409,
    message: 'Another operation is already setting up the agent of this Node.',
    retry: 'wait',
  },
  'agent.converge_lock_lost': {
    status: 409,
    message: 'The operation lost its lock on the agent and stopped before its next command.',
    retry: 'repeat',
  },
  'agent.not_configured': {
    status: 409,
    message: 'Agents need a private network, and this gateway has none.',
    retry: 'none',
  },
  'realtime.not_configured': {
    status: 404,
    message: 'No active Node has the `websocket` role.',
    retry: 'none',
  },
} as const satisfies Record<string, ErrorSpec>
