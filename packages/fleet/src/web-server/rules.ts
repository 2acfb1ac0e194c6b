import type { Site, SiteListener } from '#/web-server/site.ts'

const HTTPS = 443

/** The sites cannot be one file: a refusal of the stage `render`, whose message says why. */
export class Unrenderable extends Error {}

/** Two sites of one domain at one place, of which neither gives way: the build fails and names both (RTX-083). */
export class SiteConflict extends Unrenderable {
  readonly sites: readonly [string, string]
  constructor(one: Site, other: Site) {
    const names = [nameOf(one), nameOf(other)] as const
    super(
      `${names[0]} and ${names[1]} both serve ${one.domain} at ${placesOf(one.listener)[0] ?? 'one place'}`,
    )
    this.sites = names
  }
}

/** `app-dev app-instance-12`, as the file names it. */
export const nameOf = ({ source, scope }: Pick<Site, 'source' | 'scope'>): string => `${source} ${scope}`

/**
 * At most one site of a domain at an address and port: a current one wins over a transitional one. In an order that follows
 * from the sites alone. Throws SiteConflict.
 */
export function settleSites(sites: readonly Site[]): readonly Site[] {
  const taken = new Map<string, Site>()
  const kept: Site[] = []
  for (const site of sites.toSorted(byRank)) {
    const places = placesOf(site.listener).map((place) => `${site.domain} ${place}`)
    const rival = places.map((place) => taken.get(place)).find((other) => other !== undefined)
    if (rival && !yields(site, rival)) throw new SiteConflict(rival, site)
    if (rival) continue
    for (const place of places) taken.set(place, site)
    kept.push(site)
  }
  return kept.toSorted(byPlace)
}

const yields = (site: Site, rival: Site): boolean => isTransitional(site) && !isTransitional(rival)
const isTransitional = ({ isTransitional: is = false }: Site): boolean => is

const placesOf = (listener: SiteListener): readonly string[] =>
  listener.kind === 'unix'
    ? [listener.path]
    : listener.addresses.map((address) => `${address} port ${listener.port ?? HTTPS}`)

const byPlace = (one: Site, other: Site): number => compare(keyOf(one), keyOf(other))
const byRank = (one: Site, other: Site): number =>
  Number(isTransitional(one)) - Number(isTransitional(other)) || byPlace(one, other)

const keyOf = (site: Site): string =>
  [site.domain, ...placesOf(site.listener), site.source, site.scope].join('\n')
const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** Addresses that a Node must have for its sites to be served. */
export const boundAddresses = (sites: readonly Site[]): readonly string[] =>
  [
    ...new Set(sites.flatMap(({ listener }) => (listener.kind === 'tcp' ? listener.addresses : []))),
  ].toSorted()
