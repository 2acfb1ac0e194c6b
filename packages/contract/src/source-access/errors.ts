import type { ErrorSpec } from '@fleet/kernel'

/** What can be wrong with the access of the web server to a development source. */
export const sourceAccessErrors = {
  'app-dev.source_access_failed': {
    status: 502,
    message:
      'The web server could not be given access to the web root. The previous permissions were restored. `details.reason` and `details.path` give the cause and the entry.',
    retry: 'change',
  },
  'app-prod.web_root_invalid': {
    status: 502,
    message:
      'A web root is missing in the release, or has a symbolic link that leads out of it. The previous release stays selected. Change the repository or the Route, then deploy again.',
    retry: 'change',
  },
} as const satisfies Record<string, ErrorSpec>
