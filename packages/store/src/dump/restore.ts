import { type RawBuilder, sql, type Transaction } from 'kysely'
import { migrateTo } from '#/migrations/migrate.ts'
import { openPostgres } from '#/postgres/open.ts'
import type { Tables } from '#/schema.ts'
import {
  DumpRefused,
  type DumpRow,
  type DumpTable,
  isEnd,
  isTable,
  parseHeader,
  parseLine,
} from './format.ts'
import { isRoomFor, noteRestoration } from './held.ts'
import { tablesOfSchema } from './tables.ts'

/** Values of one statement; PostgreSQL takes at most 65,535. */
const MOST_VALUES = 20_000

/** A gateway waits for the end of this: whoever reads its tables in a transaction that stays open would keep it away for as long. */
const LOCK_SECONDS = 30
// Error code of PostgreSQL: a lock was not given within the limit.
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Puts the records of a dump in the place of everything that the database holds: all of them or, whatever fails, what was there
 * before. The schema is that of the dump; opening the store brings it up to date. Throws DumpRefused for a dump that is cut,
 * damaged or of a newer version, and RecordsInUse. No gateway may have the database open.
 */
export const restoreRecords = (
  url: string,
  lines: AsyncIterable<string>,
  { lockSeconds = LOCK_SECONDS } = {},
): Promise<void> => carryOut(url, lines, { isTrial: false, lockSeconds })

/**
 * The same into a database in which no records would be lost: one that holds none, or those that this restoration has put there
 * before. Throws RecordsInTheWay as well.
 */
export const restoreInto = (url: string, lines: AsyncIterable<string>, restoration: string): Promise<void> =>
  carryOut(url, lines, { isTrial: false, restoration, lockSeconds: LOCK_SECONDS })

/** The database holds records that the restoration has not put there. Nothing was written. */
export class RecordsInTheWay extends Error {
  override readonly name = 'RecordsInTheWay'
}

/** Another session has the tables for longer than a restoration waits. Nothing was written. */
export class RecordsInUse extends Error {
  override readonly name = 'RecordsInUse'
}

/**
 * Does what `restoreRecords` does and takes it back, so that it is known to succeed. Throws what that throws, and DumpRefused for
 * a database with a table that the dump could not give back.
 */
export async function tryRestore(
  url: string,
  lines: AsyncIterable<string>,
  { lockSeconds = LOCK_SECONDS } = {},
): Promise<void> {
  const end = new Error('the end of a trial')
  await carryOut(url, lines, { isTrial: true, end, lockSeconds }).catch((error: unknown) => {
    if (error !== end) throw error
  })
}

type Purpose = { readonly lockSeconds: number } & (
  | { readonly isTrial: false; readonly restoration?: string }
  | { readonly isTrial: true; readonly end: Error }
)

async function carryOut(url: string, lines: AsyncIterable<string>, purpose: Purpose): Promise<void> {
  // Before anything is waited for: a file that is read by lines drops those that nobody listens for.
  const rest = lines[Symbol.asyncIterator]()
  await using db = openPostgres(url, [])
  const work = db.transaction().execute(async (transaction) => {
    const limit = `${purpose.lockSeconds * 1000}ms`
    await sql`select set_config('lock_timeout', ${limit}, true)`.execute(transaction)
    const first = await rest.next()
    const { migrations } = parseHeader(first.done ? undefined : first.value)
    const restoration = purpose.isTrial ? undefined : purpose.restoration
    if (restoration !== undefined && !(await isRoomFor(transaction, restoration)))
      throw new RecordsInTheWay('the database holds other records')
    await dropTables(transaction)
    if (!(await migrateTo(transaction, 'postgres', migrations)))
      throw new DumpRefused('the dump is of another version; restore it with that one')
    const links = await withoutForeignKeys(transaction)
    await insertAll(transaction, { [Symbol.asyncIterator]: () => rest }, purpose)
    // Rows come in the order of tables, not of what refers to what.
    for (const link of links) await link.execute(transaction)
    if (restoration !== undefined) await noteRestoration(transaction, restoration)
    if (purpose.isTrial) throw purpose.end
  })
  await work.catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE)) throw error
    throw new RecordsInUse(
      'another session of the database keeps its tables; pg_stat_activity lists it: end its transaction',
      { cause: error },
    )
  })
}

/** With the views of others over them. */
async function dropTables(db: Transaction<Tables>): Promise<void> {
  const tables = await tablesOfSchema(db)
  if (tables.length === 0) return
  // In one statement, which takes a table and its partitions in any order.
  await sql`drop table ${sql.join(tables.map(({ name }) => sql.table(name)))} cascade`.execute(db)
}

/** Takes all foreign keys away and gives back what makes them again. */
async function withoutForeignKeys(db: Transaction<Tables>): Promise<ReadonlyArray<RawBuilder<unknown>>> {
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`.execute(db)
  for (const { table, name } of rows)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
  return rows.map(
    ({ table, name, definition }) =>
      // The definition is PostgreSQL's own text.
      sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`,
  )
}

async function insertAll(
  db: Transaction<Tables>,
  lines: AsyncIterable<string>,
  { isTrial }: Purpose,
): Promise<void> {
  const made = new Set((await tablesOfSchema(db)).map(({ name }) => name))
  let table: DumpTable | undefined
  let batch: DumpRow[] = []
  let rows = 0
  const flush = async (): Promise<void> => {
    // Somebody's own table that was beside the records is not made here.
    if (table && made.has(table.table) && batch.length > 0) await insert(db, table, batch)
    batch = []
  }
  for await (const line of lines) {
    const item = parseLine(line)
    if (isEnd(item)) {
      await flush()
      if (item.rows === rows) return
      break
    }
    if (isTable(item)) {
      await flush()
      table = item
      if (made.has(item.table)) await countFrom(db, item)
      else if (isTrial)
        throw new DumpRefused(`the table ${item.table} is none of the gateway; move it to another schema`)
      continue
    }
    if (table?.columns.length !== item.length) throw new DumpRefused('a row of the dump has not its columns')
    batch.push(item)
    rows += 1
    if (batch.length * item.length >= MOST_VALUES) await flush()
  }
  throw new DumpRefused('the dump is cut')
}

const insert = (db: Transaction<Tables>, { table, columns }: DumpTable, rows: readonly DumpRow[]) =>
  sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
    values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`.execute(db)

async function countFrom(db: Transaction<Tables>, { table, next }: DumpTable): Promise<void> {
  // A sequence that was never used begins by itself.
  if (next === undefined || next === 1) return
  await sql`select setval(pg_get_serial_sequence(${table}, column_name), ${next - 1}) from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_identity = 'YES'`.execute(db)
}
