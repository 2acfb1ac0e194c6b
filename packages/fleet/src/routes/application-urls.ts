import type { Call } from '#/call.ts'
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

/** The `.env` of a production Instance. */
export interface ProductionFiles {
  /**
   * Writes the stored configuration under a domain that its own Route is about to get, or gets back; `kept` where nothing is stored.
   * The operation lock of the Instance is held. Throws what `env:sync` throws.
   */
  write(call: Call, instanceId: number, domain: string): Promise<'written' | 'kept'>
}

export const applicationUrls: ApplicationUrls = {
  write: (session, url) => session.ask(setApplicationUrl, url),
}
