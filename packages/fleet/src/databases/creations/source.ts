import { posix } from 'node:path'
import { DEFAULT_DATABASE_PREFIX, fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import { attachmentsOf } from '#/databases/attachments/queries.ts'
import { defaultInstance } from '#/databases/creations/queries.ts'
import { findConnection } from '#/databases/queries.ts'
import type { ConnectionRecord } from '#/databases/record.ts'
import { serverById } from '#/databases/servers/queries.ts'
import type { ServerRecord } from '#/databases/servers/record.ts'

export interface OnServer {
  readonly kind: 'server'
  readonly nodeId: number
  readonly server: ServerRecord
  readonly database: string
}

/** A SQLite file in the checkout of `default`. */
export interface InCheckout {
  readonly kind: 'file'
  readonly nodeId: number
  readonly checkout: string
  /** Of the file in the checkout. */
  readonly path: string
}

/** What a new Instance gets a copy of. */
export type Source = OnServer | InCheckout

/** The new Instance. */
export interface Copier {
  readonly projectId: number
  readonly name: string
  readonly nodeId: number
}

type Origin = NonNullable<Awaited<ReturnType<typeof defaultInstance>>>

/**
 * The database that the Instance `default` of the Project has under `DB` (INS-062); undefined when there is none to copy (INS-071).
 * Throws `instance.database_clone_unsupported` (INS-070).
 */
export async function sourceOf(
  db: Database,
  { projectId, name, nodeId }: Copier,
): Promise<Source | undefined> {
  const origin = await defaultInstance(db, projectId)
  if (!origin || origin.name === name) return undefined
  const attachments = await attachmentsOf(db, origin.id)
  const attached = attachments.find(({ prefix }) => prefix === DEFAULT_DATABASE_PREFIX)
  if (!attached) return undefined
  const record = await findConnection(db, attached.slug)
  if (!record) throw unsupported(origin, attached.slug, 'missing')
  if (record.pending_step !== null) throw unsupported(origin, record.slug, 'incomplete')
  return record.driver === 'sqlite' ? inCheckout(record, origin, nodeId) : onServer(db, record, origin)
}

async function onServer(db: Database, record: ConnectionRecord, origin: Origin): Promise<OnServer> {
  const { server_id, database_name: database } = record
  const server = server_id === null ? undefined : await serverById(db, server_id)
  if (!server || database === null) throw unsupported(origin, record.slug, 'not_on_a_server')
  if (server.status !== 'active') throw unsupported(origin, record.slug, 'server_inactive')
  return { kind: 'server', nodeId: server.node_id, server, database }
}

/** What the file system says of links is checked on the Node, before anything is copied. */
function inCheckout(record: ConnectionRecord, origin: Origin, nodeId: number): InCheckout {
  const { checkout_path: checkout, node_id } = origin
  const path = posix.relative(checkout, record.path ?? '/')
  if (record.node_id !== node_id || path === '' || path === '..' || path.startsWith('../'))
    throw unsupported(origin, record.slug, 'outside_checkout')
  // One that does not answer would be found out only after the Instance was made.
  if (nodeId !== node_id && origin.node_status !== 'active')
    throw unsupported(origin, record.slug, 'node_inactive')
  return { kind: 'file', nodeId: node_id, checkout, path }
}

const unsupported = ({ id }: Pick<Origin, 'id'>, slug: string, reason: string): CodedError =>
  fail('instance.database_clone_unsupported', {
    message: `The database ${slug}, which the Instance \`default\` uses, cannot be copied for another one. Name a database server for a new one (\`--database-server SLUG\`), or detach ${slug} from \`default\` first: \`fleet instance:database:remove ${id} ${slug} --prefix DB\`.`,
    details: { database_connection: slug, reason },
  })
