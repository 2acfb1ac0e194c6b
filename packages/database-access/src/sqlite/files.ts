import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { systemClock } from '@fleet/kernel'
import { FileRefused } from './file-problem.ts'

const COMPANIONS = ['-wal', '-shm', '-journal'] as const
/** In one step: the writes of others begin a backup of several steps anew, for ever if there are enough of them. */
const ALL_PAGES = 0x7f_ff_ff_ff

/** The physical path, which is the root or below it: a link may lead to the data of somebody else. Throws FileRefused. */
export async function requireInside(path: string, root: string): Promise<string> {
  const [found, folder] = await Promise.all([realpath(path), realpath(root)]).catch(() => [])
  if (found === undefined || folder === undefined) throw new FileRefused('missing')
  const below = folder === sep ? sep : `${folder}${sep}`
  if (found !== folder && !found.startsWith(below)) throw new FileRefused('outside')
  return found
}

/** The physical path of a file. Throws FileRefused. */
export async function requireFileInside(path: string, root: string): Promise<string> {
  const found = await requireInside(path, root)
  if (!(await stat(found)).isFile()) throw new FileRefused('missing')
  return found
}

/** SQLITE_READONLY_ROLLBACK (rescode.html): a writer ended in the middle of a transaction, and a reader may not undo that. */
const UNDO_NEEDED = 776

/** Whether a database has to be put back to its last transaction before it can be read. */
export const needsUndo = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === UNDO_NEEDED

/**
 * Writes a database that others may be writing to, as of one moment, into a new file. Waits so long for a lock. What a writer that
 * was killed has left half done in the source is undone there, as whoever opens it next would.
 */
export async function backUp(source: string, fresh: string, lockMilliseconds: number): Promise<void> {
  try {
    await backUpReading(source, fresh, lockMilliseconds)
  } catch (error) {
    if (!needsUndo(error)) throw error
    undo(source, lockMilliseconds)
    await discard(fresh)
    await backUpReading(source, fresh, lockMilliseconds)
  }
}

/** SQLite itself undoes it for the first who may write, whatever is asked. */
function undo(path: string, lockMilliseconds: number): void {
  using database = new DatabaseSync(path, { timeout: lockMilliseconds })
  database.prepare('SELECT count(*) FROM sqlite_schema').get()
}

async function backUpReading(source: string, fresh: string, lockMilliseconds: number): Promise<void> {
  using database = new DatabaseSync(source, { readOnly: true, timeout: 0 })
  await begin(database, 'BEGIN; SELECT count(*) FROM sqlite_schema', lockMilliseconds)
  await backup(database, fresh, { rate: ALL_PAGES })
}

/** SQLITE_BUSY, whatever else is in the code (rescode.html). */
const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (error.errcode & 255) === 5

const POLL_MILLISECONDS = 1

/**
 * Begins a transaction that has its lock, or rejects after so many milliseconds. SQLite itself would ask ten times a second, and hardly
 * ever in the moment between two transactions of a writer that does not pause.
 */
export async function begin(database: DatabaseSync, statement: string, milliseconds: number): Promise<void> {
  using timer = systemClock.timer(milliseconds)
  let isOver = false
  void timer.over.then(() => (isOver = true))
  for (;;) {
    try {
      database.exec(statement)
      return
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      if (isOver || !isBusy(error)) throw error
      await systemClock.sleep(POLL_MILLISECONDS)
    }
  }
}

const COPY = '.fleet-copy'

/** Removes what earlier programs have written for a name. One that still runs cannot give it the name any more. */
export async function discardFresh(to: string): Promise<void> {
  const names = await readdir(dirname(to)).catch(() => [])
  for (const name of names)
    if (name.startsWith(`${basename(to)}${COPY}`))
      await rm(join(dirname(to), name), { recursive: true, force: true })
}

/**
 * Writes the database that is to get a name in a folder of this program's own beside it: an earlier program, which nobody waits for any
 * more, may still write to another one, and fails when it finds that gone.
 */
export async function writeFresh<T>(
  to: string,
  write: (fresh: string) => Promise<T>,
  attempt = process.pid,
): Promise<T> {
  await discardFresh(to)
  const folder = `${to}${COPY}-${attempt}`
  await mkdir(folder, { mode: 0o700 })
  try {
    return await write(join(folder, basename(to)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Gives a new database its name. The log comes first: a database without its own would lose what is only there. Rejects when the new
 * one is gone, and leaves what has the name.
 */
export async function settle(fresh: string, to: string): Promise<void> {
  await stat(fresh)
  await discard(to)
  for (const end of ['-wal', '']) {
    const part = await open(`${fresh}${end}`, 'r').catch(() => undefined)
    if (!part) continue
    await part.sync()
    await part.close()
    await rename(`${fresh}${end}`, `${to}${end}`)
  }
  const folder = await open(dirname(to), 'r')
  await folder.sync()
  await folder.close()
}

/** Removes a database with what belongs to it. */
export async function discard(path: string): Promise<void> {
  for (const end of ['', ...COMPANIONS]) await rm(`${path}${end}`, { force: true })
}
