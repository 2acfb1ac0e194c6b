import { ApiError } from '@fleet/sdk/core'
import type { CliField } from '@fleet/surfaces'
import { ClientError, EXIT, usage } from './exit.ts'
import { type NameRule, nameRules } from './hints.ts'
import { isObject } from './print/value.ts'
import type { ReadMore } from './read-more.ts'
import type { Members } from './route.ts'
import { didYouMean } from './suggest.ts'

/** A member that may hold a name. */
export type NamedField = Pick<CliField, 'member' | 'refers' | 'refersBy' | 'type'>

type Record_ = Readonly<Record<string, unknown>>
/** Answers what an operation finds with such members, or rejects with its refusal. */
export type FindRecord = (operation: string, members: Readonly<Record<string, string>>) => Promise<unknown>

/**
 * Replaces names by ids where a member takes the id of a record: `node-1`, a Project slug, `project/instance`.
 * Throws a usage error for a name that no record or several records have.
 */
export async function resolveNames(
  members: Record<string, unknown>,
  fields: readonly NamedField[],
  list: ReadMore,
  find: FindRecord,
): Promise<void> {
  const records = eachAskedOnce(list)
  await Promise.all(
    fields.map(async (field) => {
      const family = familyOf(field, members)
      const rule = family === undefined ? undefined : nameRules[family]
      const text = members[field.member]
      if (!rule || typeof text !== 'string') return
      // A variable of a script that has no value.
      if (text.trim() === '') throw usage(`The ${labelOf(family)} is an empty text.`, `fleet ${rule.list}`)
      if (!isName(field, text)) return
      const known = await named(rule, records, text)
      const isListed = known.some(({ names }) => names.includes(text))
      const unlisted = isListed ? undefined : await findUnlisted(rule, text, find)
      const id = unlisted ?? pick(known, rule, text, family ?? '')
      members[field.member] = field.type === 'integer' ? Number(id) : String(id)
    }),
  )
}

type Records = (operation: string, members?: Members) => Promise<readonly Record_[]>

function eachAskedOnce(list: ReadMore): Records {
  const lists = new Map<string, Promise<readonly Record_[]>>()
  return (operation, members = {}) => {
    const key = `${operation} ${JSON.stringify(members)}`
    const known = lists.get(key) ?? list(operation, members).then(recordsOf)
    lists.set(key, known)
    return known
  }
}

/** A record that can be named, with every name of it. */
export interface Named {
  readonly id: unknown
  readonly names: readonly string[]
}

/** The records of a family that a caller may list, with their names; of a family without names none. */
export async function namedRecords(family: string, list: ReadMore): Promise<readonly Named[]> {
  const rule = nameRules[family]
  return rule ? named(rule, eachAskedOnce(list)) : []
}

/**
 * The records of a family with their names, for which their owners are read too where names contain them. `wanted` is the
 * name that is looked for.
 */
async function named(rule: NameRule, records: Records, wanted = ''): Promise<readonly Named[]> {
  const owners = new Map<string, string>()
  const [known] = await Promise.all([
    listed(rule, records, wanted),
    ...(rule.owners ?? []).map(async (family) => {
      const owner = nameRules[family]
      if (owner === undefined) return
      for (const record of await records(owner.list)) {
        const [name] = owner.names(record, () => undefined)
        if (name !== undefined) owners.set(`${family} ${String(record['id'])}`, name)
      }
    }),
  ])
  const ownerOf = (record: Record_): string | undefined =>
    owners.get(
      'target_id' in record
        ? `${String(record['target_type'])} ${String(record['target_id'])}`
        : `node ${String(record['node_id'])}`,
    )
  return known.map((record) => ({ id: record['id'], names: rule.names(record, ownerOf) }))
}

/** A list that takes the Node is read for the one that the name begins with, else for every Node that answers it. */
async function listed({ list, isOfNode }: NameRule, records: Records, wanted: string) {
  if (isOfNode !== true) return records(list)
  const nodes = await records('node:list')
  const meant = nodes.filter(({ name }) => wanted.startsWith(`${String(name)}/`))
  const found: Record_[] = []
  for (const { id } of meant.length > 0 ? meant : nodes) {
    const reading = records(list, { node_id: id })
    found.push(...(await (meant.length > 0 ? reading : reading.catch(noneIfRefused))))
  }
  return found
}

/** A caller may see a Node in a list and not ask it. */
function noneIfRefused(error: unknown): readonly Record_[] {
  if (error instanceof ApiError && error.status < 500) return []
  throw error
}

/** The family of the record: always the same, or the one that another member says. */
function familyOf(
  { refers, refersBy }: NamedField,
  members: Readonly<Record<string, unknown>>,
): string | undefined {
  const said = refersBy === undefined ? undefined : members[refersBy]
  return refers ?? (typeof said === 'string' && Object.hasOwn(nameRules, said) ? said : undefined)
}

/** Who may give a grant on a record does not always see it in a list, and a list does not show every domain. */
async function findUnlisted(
  { resolve }: NameRule,
  text: string,
  find: FindRecord,
): Promise<number | undefined> {
  if (resolve === undefined) return undefined
  try {
    const found = await find(resolve.operation, { [resolve.by]: text })
    return isObject(found) ? Number(found[resolve.id]) : undefined
  } catch (error) {
    // A name that is unknown, and one that no record can have.
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return undefined
    throw error
  }
}

/** A text member that names an Instance also takes a domain, which never holds a slash; that of a Schedule takes a UUID. */
const isName = ({ type, refers }: NamedField, text: string): boolean =>
  type === 'integer' || text.includes('/') || (refers === 'schedule' && !UUID.test(text))

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

function pick(records: readonly Named[], rule: NameRule, text: string, family: string): unknown {
  const found = records.filter(({ names }) => names.includes(text))
  const [only] = found
  if (only && found.length === 1) return only.id
  if (found.length > 1) {
    const choices = found.map(({ id, names }) => `${names[0] ?? ''} (${String(id)})`)
    throw new ClientError('usage', `${text} is ambiguous: ${choices.join(', ')}.`, {
      exit: EXIT.usage,
      next: `Use the ${rule.form} or the id.`,
    })
  }
  const names = records.flatMap((record) => record.names.slice(0, 1))
  throw new ClientError('usage', `There is no ${labelOf(family)} named ${text} that you can access.`, {
    exit: EXIT.usage,
    next: didYouMean(text, names) ?? `fleet ${rule.list}${rule.isOfNode === true ? ' NODE' : ''}`,
  })
}

const labelOf = (family = ''): string => `${family.charAt(0).toUpperCase()}${family.slice(1)}`

const recordsOf = (data: unknown): readonly Record_[] => (Array.isArray(data) ? data.filter(isObject) : [])
