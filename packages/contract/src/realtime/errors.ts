import type { ErrorSpec } from '@fleet/kernel'

export const realtimeErrors = {
  'broadcast.channel_forbidden': {
    status: 403,
    message: 'The channel is none that this endpoint signs.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
