import type { Kysely } from 'kysely'
import type { Cipher } from '#/cipher.ts'
import { hasTable } from '#/has-table.ts'
import { checkKey, WrongKey } from '#/key-check.ts'
import { appliedMigrations, isHistory } from '#/migrations/migrate.ts'
import { openPostgres } from '#/postgres/open.ts'
import type { Tables } from '#/schema.ts'

/** Whose records a database holds. */
export interface HeldRecords {
  /** Whether the application key of the cipher is theirs. */
  readonly isOfKey: boolean
  /** Whether this version can open them: false for those of a newer version. */
  readonly isReadable: boolean
  /** The restoration that has put them there, if one has. */
  readonly restoration: string | undefined
}

/** The restoration after which the records of this database began. */
const RESTORATION = 'restoration'

/** Looks at a PostgreSQL database and changes nothing; undefined when no gateway has ever used it. */
export async function findRecords(url: string, cipher: Cipher): Promise<HeldRecords | undefined> {
  await using db = openPostgres(url, [])
  const migrations = await migrationsOf(db)
  if (migrations.length === 0) return undefined
  return {
    isOfKey: await isOfKey(db, cipher),
    isReadable: isHistory(migrations),
    restoration: await restorationOf(db),
  }
}

/** Whether a restoration may replace what the database holds: nothing, or what it has put there itself. */
export const isRoomFor = async (db: Kysely<Tables>, restoration: string): Promise<boolean> =>
  (await migrationsOf(db)).length === 0 || (await restorationOf(db)) === restoration

export async function noteRestoration(db: Kysely<Tables>, restoration: string): Promise<void> {
  await db
    .insertInto('facts')
    .values({ name: RESTORATION, value: restoration })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: restoration }))
    .execute()
}

const migrationsOf = async (db: Kysely<Tables>): Promise<readonly string[]> =>
  (await hasTable(db, 'postgres', 'kysely_migration')) ? appliedMigrations(db) : []

async function restorationOf(db: Kysely<Tables>): Promise<string | undefined> {
  if (!(await hasTable(db, 'postgres', 'facts'))) return undefined
  const found = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', RESTORATION)
    .executeTakeFirst()
  return found?.value
}

async function isOfKey(db: Kysely<Tables>, cipher: Cipher): Promise<boolean> {
  try {
    return (await checkKey(db, 'postgres', cipher)) === 'proven'
  } catch (error) {
    if (error instanceof WrongKey) return false
    throw error
  }
}
