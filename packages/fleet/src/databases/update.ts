import { fail, type InputOf, invalid } from '@fleet/contract'
import { type Database, SealBroken, type Store } from '@fleet/store'
import { requireConnection } from '#/databases/locators.ts'
import { openPassword, sealPassword } from '#/databases/password.ts'
import type { DropsSpares } from '#/databases/ports.ts'
import { presentConnection } from '#/databases/present.ts'
import { lockConnection, updateConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { type LoginFields, plan } from '#/databases/rules.ts'
import { serverSlugOf } from '#/databases/servers/slug-of.ts'
import { spareOwner } from '#/databases/target.ts'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'
import { type ConnectionDependents, fitsEnvironment } from '#/processes/api.ts'

export interface UpdateDeps {
  readonly store: Store
  readonly nodes: Pick<Nodes, 'find'>
  readonly dependents: Pick<ConnectionDependents, 'of' | 'follow'>
  readonly engines: DropsSpares
}

type Input = InputOf<'database:update'>
type Values = Parameters<typeof updateConnection>[2]

/**
 * Changes what was sent, planned on the row as it is under its lock. Values that are stored already change nothing. Processes that
 * depend on the connection follow once it is stored, which no failure of theirs takes back (DB-096, DB-097, DB-098).
 */
export const makeUpdate =
  (deps: UpdateDeps): Handler<'database:update'> =>
  async ({ call, input, found }) => {
    const { store, nodes, dependents } = deps
    const known = await requireConnection(store, input.slug, found)
    if (known.server_id !== null) refuseChange(input)
    const { row } = changesOf(store, known, input)
    if (row.node_id !== null && row.node_id !== known.node_id && !(await nodes.find(row.node_id)))
      throw fail('node.not_found')
    const { record, changed } = await store.transaction((db) => apply(deps, db, known.id, input))
    const data = presentConnection(record, await serverSlugOf(store.db, record))
    // It has changed, whether the Processes follow or not.
    if (changed) {
      deps.engines.access.drop(spareOwner(record))
      await call.publish('database.updated', data)
    }
    await dependents.follow(call, { id: record.id, slug: record.slug, isChanged: changed })
    return { data }
  }

/** What the server of the fleet has is what the record says. */
function refuseChange(input: Input): void {
  const { slug: _slug, ...given } = input
  const members = Object.entries(given).flatMap(([member, value]) => (value === undefined ? [] : [member]))
  if (members.length > 0)
    throw invalid(
      Object.fromEntries(members.map((member) => [member, ['is set by the database server of the fleet']])),
    )
}

async function apply(
  { store, dependents }: UpdateDeps,
  db: Database,
  id: number,
  input: Input,
): Promise<{ readonly record: ConnectionRecord; readonly changed: boolean }> {
  const stored = await lockConnection(db, id)
  if (!stored) throw fail('database.not_found')
  const { values } = changesOf(store, stored, input)
  if (Object.keys(values).length === 0) return { record: stored, changed: false }
  if (typeof input.password === 'string' && !fitsEnvironment(input.password))
    refuseFor(await dependents.of(db, stored.slug))
  const record = await updateConnection(db, id, values)
  if (!record) throw fail('database.not_found')
  return { record, changed: true }
}

function refuseFor([first]: readonly { readonly name: string }[]): void {
  if (first)
    throw invalid({
      password: [`has a control character, which the environment of the Process ${first.name} cannot hold`],
    })
}

function changesOf({ cipher }: Store, stored: ConnectionRecord, input: Input) {
  const hasPassword = stored.password !== null
  const { row, password, problems } = plan(input.driver ?? stored.driver, input, { ...stored, hasPassword })
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const values: Values = {
    ...differing(row, stored),
    ...(isElsewhere(row, stored) ? { owner_instance_id: null, test_database: null } : {}),
    ...(isSamePassword({ cipher }, stored, password)
      ? {}
      : { password: typeof password === 'string' ? sealPassword(cipher, stored.id, password) : null }),
  }
  return { row, values }
}

/** What the fleet created for an Instance is what the record led to; another database is nobody's (DB-028 to DB-030). */
const isElsewhere = (row: LoginFields, stored: ConnectionRecord): boolean =>
  stored.owner_instance_id !== null &&
  (['driver', 'node_id', 'path'] as const).some((column) => row[column] !== stored[column])

const differing = (row: ReturnType<typeof plan>['row'], stored: ConnectionRecord): Values =>
  Object.fromEntries(
    Object.entries(row).filter(([column, value]) => stored[column as keyof typeof row] !== value), // Its own entries.
  )

/** A stored password that cannot be read is none that a new one could equal. */
function isSamePassword(
  { cipher }: Pick<Store, 'cipher'>,
  stored: ConnectionRecord,
  password: string | null | undefined,
): boolean {
  if (password === undefined) return true
  try {
    return (openPassword(cipher, stored)?.reveal() ?? null) === password
  } catch (error) {
    if (error instanceof SealBroken) return false
    throw error
  }
}
