import { type ErrorCode, fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { InstanceFiles } from '#/instances/ports.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import {
  type CarryEnd,
  type CarryRefusal,
  examineSqlite,
  type SqliteSource,
} from '#/instances/sqlite/carry.ts'
import { sqliteProblemText } from '#/instances/sqlite/problem-text.ts'
import { movedPath } from '#/moved-path.ts'
import { identityOf, type NodeRecord, type NodeSession } from '#/nodes/api.ts'

type Places = Pick<InstanceRow, 'id' | 'checkout_path' | 'production_home'>

/** The home or the checkout that holds the path by its text; undefined for a path outside of both. */
export const folderOf = (
  path: string,
  { checkout_path, production_home }: Pick<Places, 'checkout_path' | 'production_home'>,
): string | undefined =>
  [production_home, checkout_path].find(
    (folder) =>
      folder !== null && folder !== path && movedPath(path, { from: folder, to: folder }) !== undefined,
  ) ?? undefined

/** The database of an Instance, as its own user reads it. Links inside its folders do not lead out of them. */
export const seedOf = (session: NodeSession, row: Places, path: string): SqliteSource => ({
  session,
  path,
  root: folderOf(path, row),
})

/**
 * Refuses a path that is no database of the Instance, and a database that cannot be read. Changes nothing. Throws
 * `instance.clone_sqlite_unconfirmed` and `sqlite.seed_preflight_failed`.
 */
export async function requireSeed(files: InstanceFiles, row: Places, seed: SqliteSource): Promise<void> {
  const { session, path, root } = seed
  const { node } = session
  if (root === undefined && !(await files.isNamed(row.id, { nodeId: node.id, path })))
    throw fail('instance.clone_sqlite_unconfirmed', { details: { path, node: identityOf(node) } })
  const answer = await examineSqlite(seed)
  if ('problem' in answer) throw seedFailed(answer, { path, source: node, destination: node })
}

const CODES = {
  source: 'sqlite.seed_preflight_failed',
  way: 'sqlite.seed_transfer_failed',
  destination: 'sqlite.seed_failed',
} as const satisfies Record<CarryEnd, ErrorCode>

interface Between {
  readonly path: string
  readonly source: NodeRecord
  readonly destination: NodeRecord
}

/** The code of the end at which a database was not carried, with its Node and what helps. */
export function seedFailed(
  { end, problem }: CarryRefusal,
  { path, source, destination }: Between,
): CodedError {
  const node = end === 'source' ? source : destination
  const message = sqliteProblemText(problem, path, node.name)
  return fail(CODES[end], { message, details: { node: identityOf(node), path, problem } })
}
