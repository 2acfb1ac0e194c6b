import type { Clock, Ids, Secret } from '@fleet/kernel'
import { Kysely } from 'kysely'
import { makeAnswers } from '#/answers.ts'
import { type Cipher, makeCipher } from '#/cipher.ts'
import { jsonColumns } from '#/json.ts'
import { bindKey, checkKey } from '#/key-check.ts'
import { releaseAllOf } from '#/lock-rows.ts'
import { migrate } from '#/migrations/migrate.ts'
import { makePostgresBell } from '#/postgres/bell.ts'
import { openPostgres } from '#/postgres/open.ts'
import type { Tables } from '#/schema.ts'
import { sqliteDialect } from '#/sqlite/dialect.ts'
import { SqliteFile } from '#/sqlite/file.ts'
import type { Store } from '#/store.ts'
import { TableLocks } from '#/table-locks.ts'
import { type Bell, makeLocalBell } from '#/work/bell.ts'
import { expireAllOf } from '#/work/rows.ts'
import { TableWork } from '#/work/table-work.ts'

export interface OpenStoreOptions {
  /** `postgres://…`. Wins over `file`. */
  readonly url?: string | undefined
  /** Path of the SQLite file; made, with its folder, when missing. */
  readonly file?: string | undefined
  /** Application key: `base64:` and 32 bytes. */
  readonly key: Secret
  readonly clock: Clock
  readonly ids: Ids
  /** The same after a restart: the locks its killed predecessor held end at once. */
  readonly gatewayId: string
}

/**
 * Opens the database and brings its schema up to date. Throws AppKeyInvalid, WrongKey (nothing was written then) and
 * MigrationFailed; an unreachable database throws its driver's error.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const cipher = makeCipher(options.key, options.ids)
  const handles = options.url ? postgresHandles(options.url, options.clock) : sqliteHandles(options.file)
  try {
    await prepare(handles, cipher, options)
  } catch (error) {
    await handles.close()
    throw error
  }
  const { db, relaxed, dialect } = handles
  const { clock, ids, gatewayId } = options
  const closing = new AbortController()
  return {
    dialect,
    db,
    relaxed,
    cipher,
    locks: new TableLocks({ db: relaxed, clock, ids, gatewayId, closing: closing.signal }),
    work: new TableWork({
      db: relaxed,
      durable: db,
      dialect,
      clock,
      ids,
      gatewayId,
      bell: handles.bell,
      closing: closing.signal,
    }),
    answers: makeAnswers(db, dialect, clock),
    transaction: (work) => db.transaction().execute((transaction) => handles.within(() => work(transaction))),
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await handles.bell.close()
      await handles.close()
    },
  }
}

interface Handles extends Pick<Store, 'dialect' | 'db' | 'relaxed'> {
  /** Runs the work of an open transaction. */
  readonly within: <T>(work: () => Promise<T>) => Promise<T>
  readonly bell: Bell
  /** Runs work of which a statement may take long. Nothing else may be at work. */
  readonly unlimited: <T>(work: () => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

const prepare = async (
  { db, dialect, unlimited }: Handles,
  cipher: Cipher,
  { gatewayId, clock }: OpenStoreOptions,
): Promise<void> => {
  // Before the migrations: a wrong key must leave an older database as it is.
  const key = await checkKey(db, dialect, cipher)
  await unlimited(() => migrate(db, dialect))
  if (key === 'unknown') await bindKey(db, dialect, cipher)
  await releaseAllOf(db, gatewayId)
  await expireAllOf(db, gatewayId, clock.now().toISOString())
}

const plugins = [jsonColumns]

const sqliteHandles = (path: string | undefined): Handles => {
  if (path === undefined) throw new TypeError('a store needs a url or a file')
  const file = new SqliteFile(path)
  const db = new Kysely<Tables>({ dialect: sqliteDialect(file, 'full'), plugins })
  const relaxed = new Kysely<Tables>({ dialect: sqliteDialect(file, 'relaxed'), plugins })
  const close = async (): Promise<void> => {
    await Promise.all([db.destroy(), relaxed.destroy()])
    await file.close()
  }
  return {
    dialect: 'sqlite',
    db,
    relaxed,
    close,
    bell: makeLocalBell(),
    unlimited: (work) => work(),
    within: (work) => file.turn.within(work),
  }
}

/** Far above any query of the store, each of which reads or writes what one request needs; migrations have no limit. */
const QUERY_MILLISECONDS = 30_000

const postgresHandles = (url: string, clock: Clock): Handles => {
  let limit: number | undefined = QUERY_MILLISECONDS
  const db = openPostgres(url, plugins, () => limit)
  return {
    dialect: 'postgres',
    db,
    // One pool: a commit there does not block this process, so there is nothing to save.
    relaxed: db,
    bell: makePostgresBell(url, clock),
    unlimited: async (work) => {
      limit = undefined
      return work().finally(() => (limit = QUERY_MILLISECONDS))
    },
    close: () => db.destroy(),
    within: (work) => work(),
  }
}
