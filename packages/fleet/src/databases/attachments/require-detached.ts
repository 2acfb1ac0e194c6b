import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import type { ConnectionDependents } from '#/processes/api.ts'
import { attachmentsTo } from '#/databases/attachments/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'

const SHOWN = 20

/** Throws `database.connection_attached` with the Instances and Processes that use the connection (DB-042, decision 28). */
export async function requireDetached(
  dependents: Pick<ConnectionDependents, 'of'>,
  db: Database,
  { slug }: Pick<ConnectionRecord, 'slug'>,
): Promise<void> {
  const attachments = await attachmentsTo(db, slug)
  const depending = await dependents.of(db, slug)
  const count = attachments.length + depending.length
  if (count === 0) return
  const instances = attachments.slice(0, SHOWN).map(({ instance_id, prefix }) => ({ instance_id, prefix }))
  const processes = depending.slice(0, SHOWN).map(({ id, name }) => ({ process_id: id, name }))
  throw fail('database.connection_attached', { details: { instances, processes, count } })
}
