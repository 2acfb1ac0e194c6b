import type { ActivityStatus } from '@fleet/contract'
import { condition, type Database, fixedInsert, type NewRow, type Row } from '@fleet/store'

export interface ActivityFilter {
  readonly limit: number
  readonly beforeId?: number | undefined
  readonly requestIds?: readonly string[] | undefined
  readonly status?: ActivityStatus | undefined
  readonly command?: string | undefined
  readonly callerNodeId?: number | undefined
  readonly targetNodeId?: number | undefined
  /** Rows that name one of these Nodes as caller or target; undefined shows all. */
  readonly visibleNodeIds?: readonly number[] | undefined
}

/** Newest first (ACT-005). */
export async function listActivities(db: Database, filter: ActivityFilter): Promise<Row<'activities'>[]> {
  const { visibleNodeIds, limit } = filter
  if (!visibleNodeIds) return filtered(db, filter).selectAll().orderBy('id', 'desc').limit(limit).execute()
  const ids = await newestOf(db, filter, visibleNodeIds)
  if (ids.length === 0) return []
  return db.selectFrom('activities').selectAll().where('id', 'in', ids).orderBy('id', 'desc').execute()
}

/** The history without a limit or an order. */
export function filtered(db: Database, filter: Omit<ActivityFilter, 'limit'>) {
  const equal = {
    status: filter.status,
    command: filter.command,
    caller_node_id: filter.callerNodeId,
    target_node_id: filter.targetNodeId,
  }
  let query = db.selectFrom('activities')
  const { beforeId, requestIds, status } = filter
  if (beforeId !== undefined) query = query.where('id', '<', beforeId)
  if (requestIds) query = query.where('request_id', 'in', requestIds)
  if (status !== undefined && status !== 'succeeded') query = query.where(UNSUCCESSFUL)
  for (const [column, value] of Object.entries(equal)) {
    if (value !== undefined) query = query.where(column as keyof typeof equal, '=', value) // Object.entries widens its keys to text.
  }
  return query
}

/** The condition of the index `activities_unsuccessful`, as it is written there: SQLite uses a partial index for nothing else. */
const UNSUCCESSFUL = condition("status <> 'succeeded'")

/** Of one statement. */
const NODES_ASKED = 20

/**
 * Ids of the newest rows that name one of the Nodes as caller or target. Each Node is asked for its own, along the index that ends in
 * the id: a condition on all of them would sort everything that ever happened on them.
 */
async function newestOf(
  db: Database,
  filter: ActivityFilter,
  nodeIds: readonly number[],
): Promise<readonly number[]> {
  const found = new Set<number>()
  for (let from = 0; from < nodeIds.length; from += NODES_ASKED) {
    const asked = nodeIds.slice(from, from + NODES_ASKED)
    for (const { id } of await ofNodes(db, filter, asked).execute()) found.add(id)
  }
  return [...found].toSorted((a, b) => b - a).slice(0, filter.limit)
}

export function ofNodes(db: Database, filter: ActivityFilter, nodeIds: readonly number[]) {
  const [first, ...others] = nodeIds.flatMap((id) =>
    (['caller_node_id', 'target_node_id'] as const).map((column) => {
      const newest = filtered(db, filter).where(column, '=', id).select('id').orderBy('id', 'desc')
      return db.selectFrom(newest.limit(filter.limit).as('newest')).select('newest.id')
    }),
  )
  if (!first) throw new Error('no Node is asked')
  return others.reduce((query, other) => query.unionAll(other), first)
}

export const findActivity = (db: Database, id: number): Promise<Row<'activities'> | undefined> =>
  db.selectFrom('activities').selectAll().where('id', '=', id).executeTakeFirst()

export const insertActivity = async (db: Database, row: NewRow<'activities'>): Promise<number> =>
  (await db.insertInto('activities').values(row).returning('id').executeTakeFirstOrThrow()).id

const COLUMNS = [
  'request_id',
  'command',
  'caller_node_id',
  'target_node_id',
  'caller_ip',
  'status',
  'duration_ms',
  'exit_code',
  'error_code',
  'subject_type',
  'subject_id',
  'properties',
  'occurred_at',
] as const satisfies readonly (keyof NewRow<'activities'>)[]

/** One statement for all. */
export const insertActivities: (db: Database, rows: readonly NewRow<'activities'>[]) => Promise<void> =
  fixedInsert(COLUMNS, (db: Database, rows) => db.insertInto('activities').values(rows))

/** The same for somebody who must know the ids, in the order of the rows. */
export async function insertActivitiesForIds(
  db: Database,
  rows: readonly NewRow<'activities'>[],
): Promise<number[]> {
  const firsts = new Map(rows.toReversed().map((row) => [row.request_id, row]))
  // No database promises the order of what it returns, so the rows of one statement are known by their requests.
  const stored = await db
    .insertInto('activities')
    .values([...firsts.values()])
    .returning(['id', 'request_id'])
    .execute()
  const idOf = new Map(stored.map(({ id, request_id }) => [request_id, id]))
  const ids: number[] = []
  // A client chooses the id of its request, and may send two with the same one at once.
  for (const row of rows)
    ids.push(
      row === firsts.get(row.request_id) ? (idOf.get(row.request_id) ?? 0) : await insertActivity(db, row),
    )
  return ids
}

/** Only a running row takes an outcome, so that none is ever rewritten. */
export async function endActivity(
  db: Database,
  id: number,
  outcome: Partial<NewRow<'activities'>>,
): Promise<boolean> {
  const ended = await db
    .updateTable('activities')
    .set(outcome)
    .where('id', '=', id)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return ended.numUpdatedRows > 0n
}

/** The history stays and names the Node no more (EV-077). */
export async function forgetNode(db: Database, nodeId: number): Promise<void> {
  for (const column of ['caller_node_id', 'target_node_id'] as const)
    await db.updateTable('activities').set(column, null).where(column, '=', nodeId).execute()
}

export const listRunning = (db: Database): Promise<Row<'activities'>[]> =>
  filtered(db, { status: 'running' }).selectAll().execute()
