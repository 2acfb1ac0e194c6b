import type { ErrorSpec } from '@fleet/kernel'

export const logErrors = {
  'instance.queue_unanswered': {
    status: 502,
    message:
      'The queue dashboard of the Instance gave no answer that can be read. `fleet instance:logs` shows what the application wrote.',
    retry: 'repeat',
  },
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
    message: 'The Node is at its limit of live logs. Close one first.',
    retry: 'wait',
  },
  'logs.stream_not_found': {
    status: 404,
    message: 'This caller has no open live log of this record with this id. Open another one.',
    retry: 'change',
  },
  'process.not_found': { status: 404, message: 'No Process has this id.', retry: 'change' },
} as const satisfies Record<string, ErrorSpec>
