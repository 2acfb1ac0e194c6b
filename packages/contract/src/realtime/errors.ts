import type { ErrorSpec } from '@fleet/kernel'

/** Besides those of the endpoints, faults of the server on its Node; each names the Node in `details.node`. */
export const realtimeErrors = {
  'realtime.account_failed': {
    status: 502,
    message: 'The account of the WebSocket server could not be created or removed on the Node.',
    retry: 'repeat',
  },
  'realtime.write_failed': {
    status: 502,
    message: 'The files of the WebSocket server could not be changed on the Node.',
    retry: 'repeat',
  },
  'realtime.start_failed': {
    status: 502,
    message: 'The WebSocket server does not start on the Node.',
    retry: 'repeat',
  },
  'realtime.stop_failed': {
    status: 502,
    message: 'The WebSocket server does not stop on the Node.',
    retry: 'repeat',
  },
  'realtime.not_answering': {
    status: 502,
    message: 'The WebSocket server is running on the Node but does not answer the gateway over the tunnel.',
    retry: 'repeat',
  },
  'broadcast.channel_forbidden': {
    status: 403,
    message: 'This endpoint does not sign this channel.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
