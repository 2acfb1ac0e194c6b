import type { ErrorSpec } from '@fleet/kernel'

export const githubErrors = {
  'github.app_missing': {
    status: 404,
    message: 'The gateway has no GitHub App. Register one with `fleet github:app:install`.',
    retry: 'none',
  },
  'github.registration_invalid': {
    status: 409,
    message:
      'This registration of a GitHub App is not open: it is older than an hour, was completed, or was begun anew. Begin one with `fleet github:app:install`.',
    retry: 'none',
  },
  'github.registration_failed': {
    status: 502,
    message:
      'GitHub did not hand over the app that was registered there. Delete the app at GitHub if it exists, then begin again with `fleet github:app:install`.',
    retry: 'none',
  },
  'github.unavailable': {
    status: 502,
    message: 'GitHub does not answer the gateway, or refuses the credential of its app.',
    retry: 'repeat',
  },
} as const satisfies Record<string, ErrorSpec>
