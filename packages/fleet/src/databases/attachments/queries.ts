import type { Database, Row } from '@fleet/store'

export type AttachmentRecord = Row<'database_attachments'>

/** Replaces what had the prefix (DB-092). */
export async function putAttachment(db: Database, row: Omit<AttachmentRecord, 'id'>): Promise<void> {
  const { slug, created_at } = row
  await db
    .insertInto('database_attachments')
    .values(row)
    .onConflict((conflict) => conflict.columns(['instance_id', 'prefix']).doUpdateSet({ slug, created_at }))
    .execute()
}

/** The same; answers the slug of another connection that had the prefix. */
export async function replaceAttachment(
  db: Database,
  row: Omit<AttachmentRecord, 'id'>,
): Promise<string | undefined> {
  const before = (await attachmentsOf(db, row.instance_id)).find(({ prefix }) => prefix === row.prefix)
  await putAttachment(db, row)
  return before?.slug === row.slug ? undefined : before?.slug
}

/** By prefix. */
export const attachmentsOf = (db: Database, instanceId: number): Promise<AttachmentRecord[]> =>
  db
    .selectFrom('database_attachments')
    .selectAll()
    .where('instance_id', '=', instanceId)
    .orderBy('prefix')
    .execute()

/** By Instance and prefix: who uses the connection. */
export const attachmentsTo = (db: Database, slug: string): Promise<AttachmentRecord[]> =>
  db
    .selectFrom('database_attachments')
    .selectAll()
    .where('slug', '=', slug)
    .orderBy('instance_id')
    .orderBy('prefix')
    .execute()

export const deleteAttachment = async (db: Database, id: number): Promise<void> =>
  void (await db.deleteFrom('database_attachments').where('id', '=', id).execute())

export type AttachmentOnNode = AttachmentRecord & { readonly instance_name: string }

/** By id: those of the Instances of a Node. */
export const attachmentsOn = (db: Database, nodeId: number): Promise<AttachmentOnNode[]> =>
  db
    .selectFrom('database_attachments')
    .innerJoin('instances', 'instances.id', 'database_attachments.instance_id')
    .selectAll('database_attachments')
    .select('instances.name as instance_name')
    .where('instances.node_id', '=', nodeId)
    .orderBy('database_attachments.id')
    .execute()
