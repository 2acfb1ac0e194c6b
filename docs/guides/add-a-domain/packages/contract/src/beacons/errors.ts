import type { ErrorSpec } from '@fleet/kernel'

export const beaconErrors = {
  'beacon.not_found': { status: 404, message: 'The Node has no beacon of this name.', retry: 'change' },
  'beacon.conflict': { status: 409, message: 'The Node has another beacon of this name.', retry: 'change' },
  'beacon.busy': {
    status: 409,
    message: 'Another operation is changing a beacon of this Node.',
    retry: 'wait',
  },
  'beacon.service_failed': { status: 502, message: 'The service of the beacon failed.', retry: 'repeat' },
} as const satisfies Record<string, ErrorSpec>
