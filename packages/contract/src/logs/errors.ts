import type { ErrorSpec } from '@fleet/kernel'

export const logErrors = {
  'logs.live_unavailable': {
    status: 409,
    message: 'The log cannot be followed live. `details.reason` says why; a plain read still works.',
    retry: 'none',
  },
  'logs.read_failed': {
    status: 502,
    message: 'The Node could not read the log.',
    retry: 'repeat',
  },
  'logs.stream_limit': {
    status: 429,
    message: 'The Node serves as many live logs as it may. Close one first.',
    retry: 'wait',
  },
  'logs.stream_not_found': {
    status: 404,
    message: 'No open live log of this record and this caller has this id. Open another one.',
    retry: 'change',
  },
  'process.not_found': { status: 404, message: 'No Process has this id.', retry: 'change' },
} as const satisfies Record<string, ErrorSpec>
