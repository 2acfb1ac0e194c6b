import { DEFAULT_DATABASE_PREFIX, fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import { attachmentsOf } from '#/databases/attachments/queries.ts'
import { defaultInstance } from '#/databases/creations/queries.ts'
import { findConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { serverById } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'

/** What a new Instance gets a copy of. */
export interface OnServer {
  readonly kind: 'server'
  readonly record: ConnectionRecord
  readonly server: ServerRecord
  readonly database: string
}

/**
 * The database that the Instance `default` of the Project has under `DB` (INS-062); undefined when there is none to copy (INS-071).
 * Throws `instance.database_clone_unsupported` (INS-070).
 */
export async function sourceOf(db: Database, projectId: number, name: string): Promise<OnServer | undefined> {
  const origin = await defaultInstance(db, projectId)
  if (!origin || origin.name === name) return undefined
  const attachments = await attachmentsOf(db, origin.id)
  const attached = attachments.find(({ prefix }) => prefix === DEFAULT_DATABASE_PREFIX)
  if (!attached) return undefined
  const record = await findConnection(db, attached.slug)
  if (!record) throw unsupported(attached.slug, 'missing')
  const found = await onServer(db, record)
  if (!found) throw unsupported(record.slug, 'not_on_a_server')
  return found
}

async function onServer(db: Database, record: ConnectionRecord): Promise<OnServer | undefined> {
  const { server_id, database_name: database, pending_step } = record
  if (server_id === null || database === null) return undefined
  const server = await serverById(db, server_id)
  if (server?.status !== 'active') throw unsupported(record.slug, 'server_inactive')
  if (pending_step !== null) throw unsupported(record.slug, 'incomplete')
  return { kind: 'server', record, server, database }
}

const unsupported = (slug: string, reason: string): CodedError =>
  fail('instance.database_clone_unsupported', { details: { database_connection: slug, reason } })
