import type { ErrorSpec } from '@fleet/kernel'

export const activityErrors = {
  'activity.not_found': { status: 404, message: 'No Activity has this id.', retry: 'change' },
  'activity.interrupted': {
    status: 500,
    message: 'The gateway stopped before the request ended.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
