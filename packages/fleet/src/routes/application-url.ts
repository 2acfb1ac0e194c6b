import type { Database } from '@fleet/store'
import type { NodeSession } from '#/nodes/api.ts'
import type { ApplicationUrls } from '#/routes/application-urls.ts'
import type { UrlOutcome } from '#/routes/commands/set-application-url.ts'
import { servedRows } from '#/routes/queries.ts'
import { defaultDirectory, directoryOf, type ServedRoute } from '#/routes/served.ts'

interface UrlParts {
  readonly store: { readonly db: Database }
  readonly applicationUrls: ApplicationUrls
}

/**
 * Writes the URL of the directory that a Route serves. The Instance's own Route has its directory; another one takes the domain of
 * the oldest Route that serves it (RTE-144).
 */
export async function writeApplicationUrl(
  { store, applicationUrls: urls }: UrlParts,
  session: NodeSession,
  served: ServedRoute,
): Promise<UrlOutcome> {
  const directory = directoryOf(served)
  const domain = await winnerOf(store.db, served, directory)
  if (domain === undefined) return 'kept'
  const checkoutPath = served.instance.checkout_path
  return urls.write(session, { checkoutPath, directory, url: `https://${domain}` })
}

/** Undefined where the own Route has the directory and the given one is another. */
async function winnerOf(db: Database, served: ServedRoute, directory: string): Promise<string | undefined> {
  const { route, instance } = served
  if (route.web_root === null) return route.domain
  const rivals = (await servedRows(db, { instanceId: instance.id })).filter(
    ({ route: other }) => other.has_source === 1,
  )
  const hasOwn = rivals.some(({ route: other }) => other.web_root === null)
  if (hasOwn && directory === defaultDirectory(served)) return undefined
  return rivals.find((other) => other.route.web_root !== null && directoryOf(other) === directory)?.route
    .domain
}
