import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { ConnectionDependents } from '#/processes/api.ts'
import { type AttachmentRecord, attachmentsTo } from '#/databases/attachments/queries.ts'
import { usersByValues, type ValuesDeps } from '#/databases/owned/users-by-values.ts'
import type { ConnectionRecord } from '#/databases/record.ts'

const SHOWN = 20

/** Who uses a connection. */
export interface Users {
  readonly attachments: readonly AttachmentRecord[]
  readonly depending: Awaited<ReturnType<ConnectionDependents['of']>>
}

export const usersOf = async (
  dependents: Pick<ConnectionDependents, 'of'>,
  db: Database,
  slug: string,
): Promise<Users> => ({
  attachments: await attachmentsTo(db, slug),
  depending: await dependents.of(db, slug),
})

/** Throws `database.connection_attached` with these Instances and Processes; `more` says it of a connection that goes with another record. */
export function requireNobody(
  { attachments, depending }: Users,
  more: { readonly message?: string; readonly slug?: string } = {},
): void {
  const count = attachments.length + depending.length
  if (count === 0) return
  const { message, ...details } = more
  const instances = attachments.slice(0, SHOWN).map(({ instance_id, prefix }) => ({ instance_id, prefix }))
  const processes = depending.slice(0, SHOWN).map(({ id, name }) => ({ process_id: id, name }))
  throw fail('database.connection_attached', {
    ...(message !== undefined && { message }),
    details: { ...details, instances, processes, count },
  })
}

/** Throws `database.connection_attached` with the Instances and Processes that use the connection (DB-042, decision 28). */
export const requireDetached = async (
  dependents: Pick<ConnectionDependents, 'of'>,
  db: Database,
  { slug }: Pick<ConnectionRecord, 'slug'>,
): Promise<void> => requireNobody(await usersOf(dependents, db, slug))

/** Throws the same for Instances that have the password of the database in their stored values (decision 0367). */
export async function requireUnnamed(
  deps: ValuesDeps,
  record: ConnectionRecord,
  leaving: readonly number[] = [],
): Promise<void> {
  const users = await usersByValues(deps, record, leaving)
  const [first] = users
  if (!first) return
  throw fail('database.connection_attached', {
    message: `Stored values of other Instances have the password of the database ${record.slug}, which the details name. Store others first: \`fleet env:update ${first.instance_id} ${first.keys[0]}\`.`,
    details: { slug: record.slug, values: users.slice(0, SHOWN), count: users.length },
  })
}
