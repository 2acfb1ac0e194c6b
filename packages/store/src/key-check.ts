import type { Kysely } from 'kysely'
import { Secret } from '@fleet/kernel'
import { type Cipher, SealBroken } from '#/cipher.ts'
import { hasTable } from '#/has-table.ts'
import type { DialectName } from '#/migrations/types.ts'
import type { Tables } from '#/schema.ts'

const FACT = 'application_key'
const PLACE = { table: 'facts', column: 'value', row: FACT }
// Only that it opens matters: GCM proves the key.
const KNOWN_VALUE = new Secret('fleet')

/** The database was sealed with another application key. Nothing was written. */
export class WrongKey extends Error {
  override readonly name = 'WrongKey'
  constructor() {
    super(
      'the application key is not the one that encrypted this database: restore FLEET_HOME/app.key or set APP_KEY to the original key',
    )
  }
}

/** Whether the database already knows its key. Throws WrongKey when it is another one; reads only. */
export async function checkKey(
  db: Kysely<Tables>,
  dialect: DialectName,
  cipher: Cipher,
): Promise<'proven' | 'unknown'> {
  if (!(await hasTable(db, dialect, 'facts'))) return 'unknown'
  const fact = await db.selectFrom('facts').select('value').where('name', '=', FACT).executeTakeFirst()
  if (!fact) return 'unknown'
  try {
    cipher.open(PLACE, fact.value)
    return 'proven'
  } catch (error) {
    throw error instanceof SealBroken ? new WrongKey() : error
  }
}

/** Binds a new database to the key. Of two gateways that start at once with different keys, the second gets WrongKey. */
export async function bindKey(db: Kysely<Tables>, dialect: DialectName, cipher: Cipher): Promise<void> {
  const value = cipher.seal(PLACE, KNOWN_VALUE)
  await db
    .insertInto('facts')
    .values({ name: FACT, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await checkKey(db, dialect, cipher)
}
