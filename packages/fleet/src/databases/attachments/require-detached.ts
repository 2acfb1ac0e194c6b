import { fail } from '@fleet/contract'
import type { Database } from '@fleet/store'
import { attachmentsTo } from '#/databases/attachments/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'

const SHOWN = 20

/** Throws `database.connection_attached` with the Instances that use the connection (DB-042, decision 28). */
export async function requireDetached(db: Database, { slug }: Pick<ConnectionRecord, 'slug'>): Promise<void> {
  const attachments = await attachmentsTo(db, slug)
  if (attachments.length === 0) return
  const instances = attachments.slice(0, SHOWN).map(({ instance_id, prefix }) => ({ instance_id, prefix }))
  throw fail('database.connection_attached', { details: { instances, count: attachments.length } })
}
