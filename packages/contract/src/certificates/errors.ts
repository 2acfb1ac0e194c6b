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
    message: "The fleet's root certificate could not be installed in the system store of the Node.",
    retry: 'repeat',
  },
  'certificate.publication_failed': {
    status: 502,
    message: 'The certificate could not be written on the Node. The previous one is unchanged.',
    retry: 'repeat',
  },
  'certificate.owner_missing': {
    status: 409,
    message: 'The user that should own the certificate does not exist on the Node.',
    retry: 'none',
  },
  'certificate.reload_failed': {
    status: 502,
    message:
      'The new certificate is installed on the Node, but the service that uses it could not be reloaded.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
