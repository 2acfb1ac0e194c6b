import { closeSync, existsSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { DatabaseFailure } from '#/failure.ts'
import { type Authorizer, readAuthorizer, writeAuthorizer } from './authorizer.ts'

/** An open file with its authorizer. */
export interface OpenFile extends Disposable {
  readonly database: DatabaseSync
  readonly authorizer: Authorizer
  /** Whether the file changed under a reader that took no lock, so what it read may be torn. */
  wasDisturbed(): boolean
}

/** Bytes that one value, and all memory of SQLite together, may take. */
const MAX_VALUE_BYTES = 64 * 1024 * 1024
const MAX_HEAP_BYTES = 256 * 1024 * 1024

const OPTIONS = {
  timeout: 5000,
  allowExtension: false,
  // As SQLite is everywhere else: `"x"` is a text when no column has that name.
  enableDoubleQuotedStringLiterals: true,
  limits: { length: MAX_VALUE_BYTES },
} as const

const missing = (): DatabaseFailure =>
  new DatabaseFailure('database.query_failed', 'There is no SQLite database at the registered path.', {
    reason: 'missing',
  })

export function openForWrite(path: string): OpenFile {
  requireFile(path)
  const authorizer = writeAuthorizer()
  const database = new DatabaseSync(path, OPTIONS)
  return prepared(database, authorizer, 'pragma trusted_schema = off', () => false)
}

/**
 * A reader leaves no file behind. Opening a database in WAL mode would create `-wal` and `-shm`; when nobody has it open,
 * it is read as it is, without them and without locks. `planned`: for a statement that is not run.
 */
export function openForRead(registered: string, isRetry: boolean, planned = false): OpenFile {
  requireFile(registered)
  // The log is beside the file itself, not beside a link to it.
  const path = realpathSync(registered)
  const alone = !isRetry && isWal(path) && !hasLog(path)
  const before = statSync(path, { bigint: true })
  const location = alone ? `${pathToFileURL(path).href}?immutable=1` : path
  const options = { ...OPTIONS, readOnly: true }
  const database = new DatabaseSync(location, options)
  const authorizer = readAuthorizer(shadowTables(database), planned)
  return prepared(database, authorizer, 'pragma query_only = on', () => {
    const after = statSync(path, { bigint: true })
    return alone && (after.mtimeNs !== before.mtimeNs || after.size !== before.size || hasLog(path))
  })
}

/** An empty log holds nothing that the file lacks. */
const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0

function prepared(
  database: DatabaseSync,
  authorizer: Authorizer,
  first: string,
  wasDisturbed: () => boolean,
): OpenFile {
  database.enableDefensive(true)
  database.exec(
    `${first}; pragma hard_heap_limit = ${MAX_HEAP_BYTES}; pragma temp_store = memory; pragma mmap_size = 0`,
  )
  // From here on: nothing of ours is asked, and everything of theirs is.
  database.setAuthorizer((action, one, two) => authorizer.authorize(action, one, two))
  return { database, authorizer, wasDisturbed, [Symbol.dispose]: () => database.close() }
}

/** The tables behind virtual ones: to connect to those, SQLite prepares writes that never run. */
function shadowTables(database: DatabaseSync): ReadonlySet<string> {
  const rows = database.prepare("select name from pragma_table_list where type = 'shadow'").all()
  return new Set(rows.map(({ name }) => String(name)))
}

function requireFile(path: string): void {
  if (!existsSync(path) || !statSync(path).isFile()) throw missing()
}

/** The file format versions at bytes 18 and 19 are 2 in WAL mode (fileformat2.html). */
function isWal(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(20)
    return fstatSync(file).size > 0 && readSync(file, header, 0, 20, 0) === 20 && header[18] === 2
  } finally {
    closeSync(file)
  }
}
