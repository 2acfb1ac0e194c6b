import { DEFAULT_DATABASE_PREFIX, fail, invalid } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import type { AttachmentDeps } from '#/databases/attachments/add.ts'
import { noteInstance } from '#/databases/attachments/note.ts'
import { attachmentsOf, type AttachmentRecord, deleteAttachment } from '#/databases/attachments/queries.ts'
import { keysOf } from '#/databases/attachments/rules.ts'
import { findConnection } from '#/databases/queries.ts'

/** Detaches a connection: the six keys of its prefix are removed from storage (DB-083, DB-084). */
export const makeRemove =
  (deps: AttachmentDeps): Handler<'instance:database:remove'> =>
  async ({ call, input, found }) => {
    call.note.property('connection', input.slug)
    const instance = await noteInstance(deps, call, input.instance, found?.instance)
    const { id } = instance
    const { slug } = input
    let prefix: string = input.prefix ?? DEFAULT_DATABASE_PREFIX
    const { changed, keyCount } = await deps.environment.replace(call, instance, async (db) => {
      const attachments = (await attachmentsOf(db, id)).filter((each) => each.slug === slug)
      const attachment = attachmentOrRefuse(attachments, input.prefix)
      prefix = attachment.prefix
      await deleteAttachment(db, attachment.id)
      return { set: new Map(), removed: keysOf(prefix) }
    })
    call.note.property('changed', changed)
    const { host = null, port = null } = (await findConnection(deps.store.db, slug)) ?? {}
    const keys = [...keysOf(prefix)]
    const operation = 'remove' as const
    return {
      data: { instance_id: id, slug, prefix, keys, host, port, operation, changed, key_count: keyCount },
    }
  }

/** The one of the prefix; without a prefix the only one, so that a repeat removes no other. Throws `database.attachment_missing` (DB-085). */
function attachmentOrRefuse(
  attachments: readonly AttachmentRecord[],
  prefix: string | undefined,
): AttachmentRecord {
  const matching = attachments.filter((each) => prefix === undefined || each.prefix === prefix)
  const [attachment, other] = matching
  if (!attachment) throw fail('database.attachment_missing')
  if (other)
    throw invalid({
      prefix: [`is required: the Instance uses it as ${attachments.map((each) => each.prefix).join(', ')}`],
    })
  return attachment
}
