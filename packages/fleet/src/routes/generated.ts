import { projectSlugs } from '#/routes/checks/queries.ts'
import type { Database } from '@fleet/store'
import { type ErrorCode, normalizeDomain } from '@fleet/contract'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { routesWithDomains } from '#/routes/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import { generatedDomain, isReserved } from '#/routes/rules.ts'
import type { ServedRoute } from '#/routes/served.ts'

/** A generated Route and what its domain is composed of from now on. */
export interface Renaming {
  readonly served: ServedRoute
  readonly tld: string
  /** The stored one when absent. */
  readonly slug?: string
}

export interface NextDomain {
  readonly domain: string
  /** Why it cannot be had: it is not valid, reserved, or of another Route. */
  readonly refusal?: ErrorCode
  /** An earlier request began to replace the Route by this one, and has not finished. */
  readonly isBegun: boolean
}

/** The generated domain of each Route after a change, by the id of the Route. Changes nothing (RTE-035, RTE-036, RTE-073, RTE-074). */
export async function generatedDomainsAfter(
  { store, network }: Pick<RoutesDeps, 'network'> & { readonly store: { readonly db: Database } },
  renamings: readonly Renaming[],
): Promise<ReadonlyMap<number, NextDomain>> {
  if (renamings.length === 0) return new Map()
  const slugs = await projectSlugs(store.db)
  const wanted = renamings.map(({ served, tld, slug }) => {
    const { route, instance } = served
    const project = slug ?? slugs.get(instance.project_id) ?? ''
    return { route, text: generatedDomain({ project, name: instance.name, tld }) }
  })
  const owners = await routesWithDomains(
    store.db,
    wanted.map(({ text }) => text),
  )
  const suffix = (await network.settings())?.suffix
  return new Map(
    wanted.map(({ route, text }) => {
      const owner = owners.get(text)
      const refusal = refusalOf(text, { suffix, isTaken: owner !== undefined && !isPaired(route, owner) })
      const isBegun = isInTransition(route) && owner !== undefined && isPaired(route, owner)
      return [route.id, { domain: text, isBegun, ...(refusal ? { refusal } : {}) }]
    }),
  )
}

/** The Route itself, or the one of its pair. */
const isPaired = (route: RouteRow, owner: RouteRow): boolean =>
  owner.id === route.id || owner.replaces_route_id === route.id

function refusalOf(
  domain: string,
  { suffix, isTaken }: { readonly suffix: string | undefined; readonly isTaken: boolean },
): ErrorCode | undefined {
  if (normalizeDomain(domain) === undefined) return 'route.domain_invalid'
  return isTaken || isReserved(domain, suffix) ? 'route.domain_conflict' : undefined
}
