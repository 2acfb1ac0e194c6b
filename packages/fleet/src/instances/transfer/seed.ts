import { posix } from 'node:path'
import { fail } from '@fleet/contract'
import type { TransferRecord, TransferredDatabase } from '@fleet/store'
import type { InstanceFiles } from '#/instances/ports.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import {
  type CarryAnswer,
  carrySqlite,
  digestSqlite,
  dropSqlite,
  releaseSqlite,
  type SqliteSource,
  type SqliteTarget,
} from '#/instances/sqlite/carry.ts'
import { requireSeed, seedFailed, seedOf } from '#/instances/sqlite/seed.ts'
import { movedPath } from '#/moved-path.ts'
import { identityOf, type NodeRecord, type NodeSession } from '#/nodes/api.ts'

interface Moving {
  readonly row: InstanceRow
  /** On the Node that it leaves. */
  readonly session: NodeSession
  readonly destination: NodeRecord
  readonly destinationPath: string
}

/**
 * Where a database of the Instance goes: to its place in the checkout, or to the path that it has elsewhere, below the home of the
 * managed user if it was there. Changes nothing. Throws `instance.clone_sqlite_unconfirmed` and `sqlite.seed_preflight_failed`.
 */
export async function planSeed(
  files: InstanceFiles,
  { row, session, destination, destinationPath }: Moving,
  path: string,
): Promise<TransferredDatabase> {
  const { node } = session
  const seed = seedOf(session, row, path)
  await requireSeed(files, row, seed)
  const inside = movedPath(path, { from: row.checkout_path, to: destinationPath })
  if (inside !== undefined)
    return { source_path: path, destination_path: inside, is_inside: true, digest: null }
  if (await files.isShared(row.id, { nodeId: node.id, path }))
    throw fail('instance.clone_sqlite_unconfirmed', {
      message: `Another Instance has the SQLite database ${path} on ${node.name} too, so it stays there.`,
      details: { path, node: identityOf(node) },
    })
  const moved = movedPath(path, { from: node.user_home, to: destination.user_home }) ?? path
  return { source_path: path, destination_path: moved, is_inside: false, digest: null }
}

/** The path in the checkout of a database that its content is compared without. */
export const keptOf = ({ sqlite, source_path }: TransferRecord): string | undefined =>
  sqlite?.is_inside ? posix.relative(source_path, sqlite.source_path) : undefined

interface Ends {
  readonly source: NodeSession
  readonly destination: NodeSession
  readonly record: TransferRecord
}

/** Carries it as of one moment, and answers it with its digest. May be repeated. Throws the `sqlite.seed_*` codes. */
export async function carrySeed({
  source,
  destination,
  record,
}: Ends): Promise<TransferredDatabase | undefined> {
  const { sqlite } = record
  if (!sqlite) return undefined
  const answer = await carrySqlite(
    sourceOf(source, record, sqlite),
    targetOf(destination, record, sqlite),
    record.operation_id,
  )
  return { ...sqlite, digest: doneOf(answer, sqlite, { source, destination }) }
}

/** Removes what has arrived outside of the checkout; what is in it goes with it. Throws `sqlite.seed_failed`. */
export async function dropSeed({ destination, record }: Omit<Ends, 'source'>): Promise<void> {
  const { sqlite } = record
  if (!sqlite || sqlite.is_inside) return
  const answer = await dropSqlite(targetOf(destination, record, sqlite))
  doneOf(answer, sqlite, { source: destination, destination })
}

/** What has arrived outside of the checkout is the Instance's own from now on. Throws `sqlite.seed_failed`. */
export async function releaseSeed({ destination, record }: Omit<Ends, 'source'>): Promise<void> {
  const { sqlite } = record
  if (!sqlite || sqlite.is_inside) return
  const answer = await releaseSqlite(targetOf(destination, record, sqlite))
  doneOf(answer, sqlite, { source: destination, destination })
}

/** Whether the database that the old checkout would be deleted with is what was carried, or is gone. */
export async function isSeedUnchanged({ source, record }: Omit<Ends, 'destination'>): Promise<boolean> {
  const { sqlite } = record
  if (!sqlite?.is_inside) return true
  const answer = await digestSqlite(sourceOf(source, record, sqlite), record.operation_id)
  if ('done' in answer) return answer.done === sqlite.digest
  if (answer.problem === 'missing') return true
  if (CHANGED.has(answer.problem)) return false
  throw seedFailed(answer, { path: sqlite.source_path, source: source.node, destination: source.node })
}

/** Somebody has made something else of it. */
const CHANGED: ReadonlySet<string> = new Set(['damaged', 'outside', 'denied'])

const sourceOf = (
  session: NodeSession,
  record: TransferRecord,
  sqlite: TransferredDatabase,
): SqliteSource => ({
  session,
  path: sqlite.source_path,
  root: sqlite.is_inside ? record.source_path : undefined,
})

/** Outside of the checkout the name may be somebody else's. */
const targetOf = (
  session: NodeSession,
  record: TransferRecord,
  sqlite: TransferredDatabase,
): SqliteTarget => ({
  session,
  path: sqlite.destination_path,
  ...(sqlite.is_inside ? { root: record.destination_path } : { root: '/', claim: record.operation_id }),
})

function doneOf(
  answer: CarryAnswer,
  { source_path, destination_path }: TransferredDatabase,
  { source, destination }: Omit<Ends, 'record'>,
): string {
  if ('done' in answer) return answer.done
  const path = answer.end === 'source' ? source_path : destination_path
  throw seedFailed(answer, { path, source: source.node, destination: destination.node })
}
