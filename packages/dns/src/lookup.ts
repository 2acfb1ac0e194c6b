import type { Answers, Catalog } from '#/catalog.ts'

/** A name that the fleet answers for. */
export interface Owned {
  readonly address: string
  /** The record or suffix that contains it. */
  readonly owner: string
}

/** Undefined for a name that is not the fleet's. The name is in lower case, without a last dot. */
export type Lookup = (requester: string, name: string) => Owned | undefined

/** RTX-108, RTX-112: an exact record first, then the longest suffix; each as the requester is to hear it. */
export function makeLookup(catalog: Catalog): Lookup {
  const requesters = mapOf(catalog.requesters)
  const common = tablesOf(catalog)
  const overrides = new Map(Object.entries(catalog.overrides).map(([key, own]) => [key, tablesOf(own)]))
  return (requester, name) => {
    const place = placeOf(common, name)
    if (!place) return undefined
    const { table, owner, address } = place
    const own = overrides.get(`node:${requesters.get(requester)}`)
    return { owner, address: own?.[table].get(owner) ?? address }
  }
}

interface Tables {
  readonly records: ReadonlyMap<string, string>
  readonly suffixes: ReadonlyMap<string, string>
}

interface Place extends Owned {
  readonly table: keyof Tables
}

function placeOf({ records, suffixes }: Tables, name: string): Place | undefined {
  const exact = records.get(name)
  if (exact !== undefined) return { table: 'records', owner: name, address: exact }
  for (let owner = name; owner !== ''; owner = parentOf(owner)) {
    const address = suffixes.get(owner)
    if (address !== undefined) return { table: 'suffixes', owner, address }
  }
  return undefined
}

const parentOf = (name: string): string => {
  const dot = name.indexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1)
}

const mapOf = <T>(part: Readonly<Record<string, T>>): ReadonlyMap<string, T> => new Map(Object.entries(part))

const tablesOf = (part: { readonly records: Answers; readonly suffixes: Answers }): Tables => ({
  records: mapOf(part.records),
  suffixes: mapOf(part.suffixes),
})
