import * as z from 'zod'

/** Seconds that a private answer may be kept (RTX-106). */
export const TTL_SECONDS = 30

const name = z
  .string()
  .regex(/^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/)
const answers = z.record(name, z.ipv4())
const schema = z.strictObject({
  requesters: z.record(z.ipv4(), z.int().positive()),
  records: answers,
  suffixes: answers,
  overrides: z.record(
    z.string().regex(/^node:[1-9]\d*$/),
    z.strictObject({ records: answers, suffixes: answers }),
  ),
})

/** Name → IPv4 address; names in lower case, without a last dot. */
export type Answers = Readonly<Record<string, string>>

/** The private names of a fleet (RTX-104). */
export interface Catalog {
  /** Tunnel address → id of the Node that asks from it. */
  readonly requesters: Readonly<Record<string, number>>
  /** For the name alone. */
  readonly records: Answers
  /** For the name and everything below it. */
  readonly suffixes: Answers
  /** `node:<id>` → what this Node hears instead of the address above; it adds no name. */
  readonly overrides: Readonly<Record<string, { readonly records: Answers; readonly suffixes: Answers }>>
}

/** Throws when the text is no catalog, whole or in any part: half of the names would be worse than the earlier ones. */
export const parseCatalog = (text: string): Catalog => schema.parse(JSON.parse(text))

/** The one text of a catalog: equal catalogs have equal texts, so their digests can be compared. */
export const catalogText = (catalog: Catalog): string => `${JSON.stringify(sorted(catalog), undefined, 1)}\n`

const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const)
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
