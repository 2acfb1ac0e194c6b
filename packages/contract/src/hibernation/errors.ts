import type { ErrorSpec } from '@fleet/kernel'

export const hibernationErrors = {
  'instance.wake_failed': {
    status: 502,
    message: 'The sleeping Instance could not be woken.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
