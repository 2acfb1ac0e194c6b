import type { NodeSession } from '#/nodes/api.ts'
import {
  type ApplicationUrl,
  setApplicationUrl,
  type UrlOutcome,
} from '#/routes/commands/set-application-url.ts'

/** What applications of the first framework think they are called. */
export interface ApplicationUrls {
  /** One round trip; `unsupported` where no such application is. Throws `route.application_url_failed`. */
  write(session: NodeSession, url: ApplicationUrl): Promise<UrlOutcome>
}

export const applicationUrls: ApplicationUrls = {
  write: (session, url) => session.ask(setApplicationUrl, url),
}
