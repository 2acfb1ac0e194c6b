import type { ErrorSpec } from '@fleet/kernel'

const failed = (what: string) =>
  ({
    status: 502,
    message: `The web server configuration of the Node could not be built for ${what}. The previous configuration is still in use. \`details.stage\` and \`details.message\` give the stage and the cause.`,
    retry: 'repeat',
  }) as const

/** A build of the sites of a Node that failed, by who asked for it: `details` has `node`, `stage` and `message` (RTX-093). */
export const webServerErrors = {
  'app-dev.caddy_config_failed': failed('a Route or the role app-dev'),
  'app-prod.caddy_config_failed': failed('the role app-prod'),
  'router.caddy_config_failed': failed('the role router'),
  'ingress.caddy_config_failed': failed('the role ingress'),
} as const satisfies Record<string, ErrorSpec>
