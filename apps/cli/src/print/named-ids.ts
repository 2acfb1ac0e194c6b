import { namedRecords } from '#/names.ts'
import type { ReadMore } from '#/read-more.ts'
import type { Json } from './value.ts'

/** Families whose names tell a person more than their ids, and whose lists ask no Node. */
const FAMILIES = ['node', 'cluster', 'project', 'instance', 'route']

/**
 * The same rows with names in the place of ids of other records: `node_id` 3 reads `web-1`. Only the members `shown` are
 * named, where they are given. What cannot be read keeps its id.
 */
export async function nameRows(
  rows: readonly Json[],
  shown: readonly string[] | undefined,
  read: ReadMore,
): Promise<readonly Json[]> {
  return nameEach(rows, shown, read, (name) => name)
}

/** The same for one record, or the details of an error, where the id stays beside the name: `web-1 (3)`. */
export async function nameRecord(record: Json, read: ReadMore): Promise<Json> {
  const [named = record] = await nameEach([record], undefined, read, (name, id) => `${name} (${String(id)})`)
  return named
}

async function nameEach(
  rows: readonly Json[],
  shown: readonly string[] | undefined,
  read: ReadMore,
  text: (name: string, id: unknown) => string,
): Promise<readonly Json[]> {
  const families = new Set(rows.flatMap((row) => idsOf(row, shown).map(({ family }) => family)))
  const known = await Promise.all(
    [...families].map(async (family) => [family, await namesOf(family, read)] as const),
  )
  const names = new Map(known)
  const named = (family: string, id: unknown): unknown => {
    const name = names.get(family)?.get(id)
    return name === undefined ? id : text(name, id)
  }
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(
      idsOf(row, shown).map(({ member, family, ids }) => [
        member,
        Array.isArray(ids) ? ids.map((id) => named(family, id)) : named(family, ids),
      ]),
    ),
  }))
}

interface Ids {
  readonly member: string
  readonly family: string
  readonly ids: unknown
}

/** `node_id`, `caller_node_id`, `instance_ids`, and `target_id` beside the family in `target_type`. */
function idsOf(row: Json, shown: readonly string[] | undefined): readonly Ids[] {
  return (shown ?? Object.keys(row)).flatMap((member) => {
    const [, before = ''] = /^(.+)_ids?$/.exec(member) ?? []
    const said = row[`${before}_type`]
    const family = typeof said === 'string' ? said : before.slice(before.lastIndexOf('_') + 1)
    const ids = row[member]
    const isNamed = FAMILIES.includes(family) && (Array.isArray(ids) || typeof ids === 'number')
    return isNamed ? [{ member, family, ids }] : []
  })
}

async function namesOf(family: string, read: ReadMore): Promise<ReadonlyMap<unknown, string>> {
  const records = await namedRecords(family, read).catch(() => [])
  return new Map(
    records.flatMap(({ id, names: [name] }) => (name === undefined ? [] : [[id, name] as const])),
  )
}
