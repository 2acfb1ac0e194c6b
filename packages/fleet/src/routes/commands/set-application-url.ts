import { DURABLE, programOf, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

export interface ApplicationUrl {
  readonly checkoutPath: string
  /** Repository-relative; empty for the repository root. */
  readonly directory: string
  readonly url: string
  /**
   * The home of a production Instance: the file is kept in its folder `env`, and linked into the release and into each later one
   * (RTE-154).
   */
  readonly home?: string
}

const answers = ['written', 'kept', 'unsupported'] as const
export type UrlOutcome = (typeof answers)[number]

const SAID = 'The `.env` file of the application was not changed.'

/**
 * Sets `APP_URL` in the `.env` of an application and in its cached configuration; a file that is missing is made with a key of its
 * own (RTE-145, RTE-146). No application runs for it (RTX-038).
 */
export const setApplicationUrl: NodeScript<ApplicationUrl, UrlOutcome> = {
  source: programOf(textFile('set-application-url.sh', import.meta.url), DURABLE),
  as: 'login',
  args: ({ checkoutPath, directory, url, home = '' }) => [checkoutPath, directory, url, home],
  timeoutSeconds: 60,
  reasons: {
    checkout_missing: ['route.application_url_failed', `The checkout is not on the Node. ${SAID}`],
    directory_unsafe: [
      'route.application_url_failed',
      `The application directory is reached through a symbolic link. ${SAID}`,
    ],
    file_unsafe: ['route.application_url_failed', `It is not a regular file. ${SAID}`],
    failed: ['route.application_url_failed', `It could not be written. ${SAID}`],
  },
  broken: 'route.application_url_failed',
  read: (answer) => answer.word('answer', answers),
}
