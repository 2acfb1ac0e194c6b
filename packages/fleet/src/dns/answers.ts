import { catalogOf } from '#/dns/catalog.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import { readSources } from '#/dns/sources.ts'

/** What the listener answers a Node with the names of the records (RTX-108, RTX-109). */
export async function answersTo(deps: DnsDeps, nodeId: number): Promise<ReadonlyMap<string, string>> {
  const sources = await readSources(deps)
  if (!sources) return new Map()
  const { records, overrides } = catalogOf(sources)
  return new Map(Object.entries({ ...records, ...overrides[`node:${nodeId}`]?.records }))
}
