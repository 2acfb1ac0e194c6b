import { type Kysely, sql, type UpdateObject } from 'kysely'
import type { DialectName } from '#/migrations/types.ts'
import type { NewRow, Row, Tables } from '#/schema.ts'
import { WorkLost } from '#/work/work.ts'
import type { Database } from '../database.ts'

type WorkRow = Row<'work'>
/** Whose row it is: the token of one claim. */
export interface Claim {
  readonly id: number
  readonly token: string
}

const FREE = { token: null, gateway: null, lease_expires_at: null } as const

/** Adds a row, or changes the one of its key. Of two times the earlier one counts, unless this one postpones it. */
export async function addRow(
  db: Database,
  row: NewRow<'work'>,
  { postpones }: { readonly postpones: boolean },
): Promise<void> {
  const earlier = sql<string>`case when work.status = 'waiting' and work.due_at < excluded.due_at then work.due_at else excluded.due_at end`
  await db
    .insertInto('work')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'key']).doUpdateSet({
        payload: sql`excluded.payload`,
        caller_node_id: sql`excluded.caller_node_id`,
        due_at: postpones ? sql`excluded.due_at` : earlier,
        added_again: sql`case when work.status = 'running' then 1 else 0 end`,
        attempts: sql`case when work.status = 'dead' then 0 else work.attempts end`,
        error_code: sql`case when work.status = 'dead' then null else work.error_code end`,
        request_id: sql`case when work.status = 'dead' then excluded.request_id else work.request_id end`,
        status: sql`case when work.status = 'running' then 'running' else 'waiting' end`,
      }),
    )
    .execute()
}

export interface ClaimValues {
  readonly kinds: readonly string[]
  /** Ids that the process has in hand: after a sleep of its machine they look like those of a holder that is gone. */
  readonly except: readonly number[]
  readonly now: string
  readonly token: string
  readonly gateway: string
  readonly expiresAt: string
}

/** One statement: of two processes that claim at once, each gets another row. */
export function claimRow(
  db: Kysely<Tables>,
  dialect: DialectName,
  { kinds, except, now, token, gateway, expiresAt }: ClaimValues,
): Promise<WorkRow | undefined> {
  const due = db
    .selectFrom('work')
    .select('id')
    .where('kind', 'in', kinds)
    .$if(except.length > 0, (query) => query.where('id', 'not in', except))
    .where((where) =>
      where.or([
        where.and([where('status', '=', 'waiting'), where('due_at', '<=', now)]),
        where.and([where('status', '=', 'running'), where('lease_expires_at', '<=', now)]),
      ]),
    )
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
  // SQLite has one writer at a time; PostgreSQL passes over rows that another process is claiming.
  const free = dialect === 'postgres' ? due.forUpdate().skipLocked() : due
  return db
    .updateTable('work')
    .set((set) => ({
      status: 'running',
      // Who takes it over from a holder that is gone, before the time to which it was postponed, does not end it.
      added_again: sql<0 | 1>`case when status = 'running' and due_at > ${now} then 1 else 0 end`,
      token,
      gateway,
      lease_expires_at: expiresAt,
      attempts: set('attempts', '+', 1),
    }))
    .where('id', '=', free)
    .returningAll()
    .executeTakeFirst()
}

export async function renewRow(db: Kysely<Tables>, claim: Claim, expiresAt: string): Promise<boolean> {
  return (await update(db, claim, { lease_expires_at: expiresAt })) > 0
}

/** Deletes the row; added again meanwhile, it waits under a new request id. */
export async function endRow(db: Database, claim: Claim, nextRequestId: string): Promise<void> {
  const deleted = await db
    .deleteFrom('work')
    .where('id', '=', claim.id)
    .where('token', '=', claim.token)
    .where('added_again', '=', 0)
    .executeTakeFirst()
  if (deleted.numDeletedRows > 0n) return
  await changeRow(db, claim, { status: 'waiting', attempts: 0, error_code: null, request_id: nextRequestId })
}

/** Gives the row back with the change. Throws WorkLost. */
export async function changeRow(
  db: Database,
  claim: Claim,
  change: UpdateObject<Tables, 'work'>,
): Promise<void> {
  const changed = await update(db, claim, { ...FREE, added_again: 0, ...change })
  if (changed === 0) throw new WorkLost(`work ${claim.id} was taken over`)
}

/** The time that was given, or a later one to which it was postponed while it ran. */
const postponed = (time: string) =>
  sql<string>`case when added_again = 1 and due_at > ${time} then due_at else ${time} end`

/** Gives the row back to be tried again. Throws WorkLost. */
export const retryRow = (
  db: Database,
  claim: Claim,
  given: { readonly due: string; readonly code: string },
) => changeRow(db, claim, { status: 'waiting', due_at: postponed(given.due), error_code: given.code })

/** Nobody tries it again, unless it was added again while it ran. Throws WorkLost. */
export const buryRow = (db: Database, claim: Claim, code: string): Promise<void> =>
  changeRow(db, claim, {
    status: sql`case when added_again = 1 then 'waiting' else 'dead' end`,
    attempts: sql`case when added_again = 1 then 0 else attempts end`,
    error_code: code,
  })

/** Gives the row back as if it had not been claimed; another holder's stays. */
export async function returnRow(db: Database, claim: Claim, now: string): Promise<void> {
  await db
    .updateTable('work')
    .set((set) => ({
      ...FREE,
      status: 'waiting',
      due_at: postponed(now),
      attempts: set('attempts', '-', 1),
    }))
    .where('id', '=', claim.id)
    .where('token', '=', claim.token)
    .execute()
}

/** Work of a gateway that is starting was left by its killed predecessor: anybody may take it over at once. */
export async function expireAllOf(db: Kysely<Tables>, gateway: string, now: string): Promise<void> {
  await db
    .updateTable('work')
    .set({ lease_expires_at: now })
    .where('gateway', '=', gateway)
    .where('status', '=', 'running')
    .execute()
}

export async function findDue(db: Kysely<Tables>, kind: string, key: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('work')
    .select('due_at')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  return found?.due_at
}

/** Of work that runs, the time says nothing: the clock may have been set back since it was claimed. */
export async function isRowPostponed(
  db: Kysely<Tables>,
  { kind, key, now }: { readonly kind: string; readonly key: string; readonly now: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('work')
    .select(['added_again', 'status', 'due_at'])
    .where('kind', '=', kind)
    .where('key', '=', key)
    .executeTakeFirst()
  if (!found) return false
  return found.status === 'running' ? found.added_again === 1 : found.due_at > now
}

export async function findNextDue(db: Kysely<Tables>, kinds: readonly string[]): Promise<string | undefined> {
  const next = sql<string | null>`min(case when status = 'waiting' then due_at else lease_expires_at end)`
  const found = await db
    .selectFrom('work')
    .select(next.as('next'))
    .where('status', '<>', 'dead')
    .where('kind', 'in', kinds)
    .executeTakeFirst()
  return found?.next ?? undefined
}

export const listDeadRows = (db: Kysely<Tables>): Promise<WorkRow[]> =>
  db.selectFrom('work').selectAll().where('status', '=', 'dead').orderBy('id').execute()

const MOST_TROUBLED = 100

/** Dead, failed so often, or due and not taken since that time. */
export const listTroubledRows = (
  db: Kysely<Tables>,
  failedAttempts: number,
  overdueSince: string,
): Promise<WorkRow[]> =>
  db
    .selectFrom('work')
    .selectAll()
    .where((where) =>
      where.or([
        where('status', '=', 'dead'),
        where.and([where('error_code', 'is not', null), where('attempts', '>=', failedAttempts)]),
        where.and([where('status', '=', 'waiting'), where('due_at', '<=', overdueSince)]),
        where.and([where('status', '=', 'running'), where('lease_expires_at', '<=', overdueSince)]),
      ]),
    )
    .orderBy('id')
    .limit(MOST_TROUBLED)
    .execute()

/** Dead rows wait again from their first attempt, and rows that wait after a failure are due now. */
export async function retryRows(db: Database, now: string): Promise<number> {
  const due = { status: 'waiting', due_at: now, attempts: 0, error_code: null } as const
  const result = await db
    .updateTable('work')
    .set(due)
    .where('status', 'in', ['dead', 'waiting'])
    .where('error_code', 'is not', null)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/**
 * By a clock that was set back from that time: what was due by then is due now, and so is what waits after a failure. What waits longer
 * does so by intention.
 */
export async function hastenRows(db: Database, now: string, reached: string): Promise<void> {
  await db
    .updateTable('work')
    .set({ due_at: now })
    .where('status', '=', 'waiting')
    .where('due_at', '>', now)
    .where((where) => where.or([where('due_at', '<=', reached), where('error_code', 'is not', null)]))
    .execute()
}

async function update(
  db: Database,
  { id, token }: Claim,
  change: UpdateObject<Tables, 'work'>,
): Promise<number> {
  const result = await db
    .updateTable('work')
    .set(change)
    .where('id', '=', id)
    .where('token', '=', token)
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}
