import type { ErrorSpec } from '@fleet/kernel'

/** Faults of trust stores and published certificates; each names the Node in `details.node`. */
export const certificateErrors = {
  'certificate.store_missing': {
    status: 409,
    message: 'The Node lacks the package `ca-certificates`.',
    retry: 'none',
  },
  'certificate.trust_failed': {
    status: 502,
    message: 'The root certificate of the fleet could not be put into the system store of the Node.',
    retry: 'repeat',
  },
  'certificate.publication_failed': {
    status: 502,
    message: 'The certificate could not be written on the Node; the earlier one is as it was.',
    retry: 'repeat',
  },
  'certificate.owner_missing': {
    status: 409,
    message: 'The user that the certificate is for does not exist on the Node.',
    retry: 'none',
  },
  'certificate.reload_failed': {
    status: 502,
    message: 'The new certificate stands on the Node, but the service that serves it could not be reloaded.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
