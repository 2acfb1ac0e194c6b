import { type ControlledTransaction, sql } from 'kysely'
import { appliedMigrations, currentSchema } from '#/migrations/migrate.ts'
import { openPostgres } from '#/postgres/open.ts'
import type { Tables } from '#/schema.ts'
import type { DumpEnd, DumpHeader, DumpRow, DumpTable } from './format.ts'
import { tablesOfSchema } from './tables.ts'

const PAGE = 500

/**
 * Every record of a PostgreSQL database as lines of JSON: one consistent state, taken while gateways work. Sealed values stay
 * sealed, so the application key is needed to read them. Throws the driver's error for a database that does not answer, and
 * MigrationFailed for one in which another schema hides that of the records.
 */
export async function* dumpRecords(url: string): AsyncGenerator<string> {
  // Without plugins: JSON columns are text here.
  await using db = openPostgres(url, [])
  const snapshot = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
  try {
    yield* linesOf(snapshot)
  } finally {
    await snapshot.rollback().execute()
  }
}

async function* linesOf(db: ControlledTransaction<Tables>): AsyncGenerator<string> {
  await currentSchema(db)
  const migrations = await appliedMigrations(db)
  yield JSON.stringify({ product: 'fleet-records', format: 1, migrations } satisfies DumpHeader)
  let rows = 0
  for (const described of await tablesOf(db)) {
    yield JSON.stringify(described)
    for await (const row of rowsOf(db, described)) {
      yield JSON.stringify(row)
      rows += 1
    }
  }
  yield JSON.stringify({ end: true, rows } satisfies DumpEnd)
}

/** Tables of records with their columns, sorted by name; those of the migrator are made by migrating. */
async function tablesOf(db: ControlledTransaction<Tables>): Promise<readonly DumpTable[]> {
  const next = await nextIdentities(db)
  const tables = await tablesOfSchema(db)
  return tables
    .filter(({ name }) => !name.startsWith('kysely_'))
    .map(({ name, columns }) => ({ table: name, columns, ...next.get(name) }))
}

async function nextIdentities(
  db: ControlledTransaction<Tables>,
): Promise<ReadonlyMap<string, Pick<DumpTable, 'next'>>> {
  const { rows } = await sql<{ table: string; next: number }>`
    select c.table_name as "table", coalesce(s.last_value + s.increment_by, s.start_value) as next
    from information_schema.columns c
    join pg_sequences s on format('%I.%I', s.schemaname, s.sequencename) = pg_get_serial_sequence(format('%I.%I', c.table_schema, c.table_name), c.column_name)
    where c.table_schema = current_schema() and c.is_identity = 'YES'`.execute(db)
  return new Map(rows.map(({ table, next }) => [table, { next }]))
}

/** All rows through a cursor, so that memory does not grow with the table. */
async function* rowsOf(
  db: ControlledTransaction<Tables>,
  { table, columns }: DumpTable,
): AsyncGenerator<DumpRow> {
  const names = sql.join(columns.map((name) => sql.ref(name)))
  await sql`declare dump no scroll cursor for select ${names} from ${sql.table(table)}`.execute(db)
  for (;;) {
    const fetch = sql<Readonly<Record<string, string | number | null>>>`fetch ${sql.lit(PAGE)} from dump`
    const { rows } = await fetch.execute(db)
    for (const row of rows) yield columns.map((name) => row[name] ?? null)
    if (rows.length < PAGE) break
  }
  await sql`close dump`.execute(db)
}
