import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import type { NodeSession } from '#/nodes/api.ts'
import type { ApplicationUrls, ProductionFiles } from '#/routes/application-urls.ts'
import type { UrlOutcome } from '#/routes/commands/set-application-url.ts'
import { isProductionRow, sourceOf } from '#/routes/production/place.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { directoryOf, type ServedRoute } from '#/routes/served.ts'

interface UrlDeps {
  readonly store: { readonly db: Database }
  readonly applicationUrls: ApplicationUrls
  readonly productionFiles: ProductionFiles
}

/**
 * Writes the URL of the directory that a Route serves. The Instance's own Route has its directory; another one takes the domain of
 * the oldest Route that serves it (RTE-144).
 */
export async function writeApplicationUrl(
  deps: UrlDeps,
  session: NodeSession,
  served: ServedRoute,
): Promise<UrlOutcome> {
  const { route, instance } = served
  if (isProductionRow(instance) && route.web_root === null) return writeProduction(deps, session, served)
  const { store, applicationUrls: urls } = deps
  const directory = directoryOf(served)
  const domain = await winnerOf(store.db, served, directory)
  if (domain === undefined) return 'kept'
  const place = { checkoutPath: sourceOf(instance), directory, url: `https://${domain}` }
  if (!isProductionRow(instance)) return urls.write(session, place)
  const { production_user: user, production_home: home } = instance
  return urls.write(session.as(user), { ...place, home })
}

/**
 * The stored configuration under the domain of the Instance's own Route (ENV-063). Before it is active its first deployment writes
 * it.
 */
async function writeProduction(
  { productionFiles }: UrlDeps,
  { call, node }: NodeSession,
  { route, instance }: ServedRoute,
): Promise<UrlOutcome> {
  if (instance.status !== 'active') return 'kept'
  try {
    return await productionFiles.write(call, instance.id, route.domain)
  } catch (error) {
    if (!(error instanceof CodedError) || !/^(env|instance)\./.test(error.code)) throw error
    throw fail('route.application_url_failed', {
      message: `The \`.env\` of the Instance ${instance.name} on ${node.name} could not be written for ${route.domain}. ${error.message}`,
      details: { instance_id: instance.id, error_code: error.code },
      cause: error,
    })
  }
}

/** Undefined where the own Route has the directory and the given one is another. */
async function winnerOf(db: Database, served: ServedRoute, directory: string): Promise<string | undefined> {
  const { route, instance } = served
  if (route.web_root === null) return route.domain
  const rivals = await servedRows(db, { instanceId: instance.id })
  const owner = urlOwners(rivals.filter(({ route: other }) => other.has_source === 1)).get(directory)
  return owner?.route.web_root === null ? undefined : owner?.route.domain
}

/** Of the served Routes of one Instance, oldest first: the one that gives each application directory its URL (RTE-144). */
export function urlOwners(served: readonly ServedRoute[]): ReadonlyMap<string, ServedRoute> {
  const owners = new Map<string, ServedRoute>()
  for (const one of served) {
    const directory = directoryOf(one)
    if (one.route.web_root === null || !owners.has(directory)) owners.set(directory, one)
  }
  return owners
}
