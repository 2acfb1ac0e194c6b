import { constants } from 'node:fs'
import { chmod, copyFile, mkdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FileRefused } from './file-problem.ts'
import {
  backUp,
  begin,
  discard,
  discardFresh,
  requireFileInside,
  requireInside,
  settle,
  writeFresh,
} from './files.ts'

/** A database file of one checkout and where another checkout gets its copy. Paths are absolute. */
export interface CopyRequest {
  readonly from: string
  /** Folder that the file has to be in, whatever links say. */
  readonly fromRoot: string
  readonly to: string
  readonly toRoot: string
}

/** How the copy was made. */
export type CopyMode = 'reflink' | 'backup'

/** Shares the blocks of a file, or rejects where the file system cannot. */
export type Clone = (from: string, to: string) => Promise<void>

/** How long a writer may keep the copy waiting before the backup API takes over. */
const LOCK_MILLISECONDS = 2000

const reflink: Clone = (from, to) => copyFile(from, to, constants.COPYFILE_FICLONE_FORCE)

/**
 * Copies a database that others may be writing to, as of one moment, over whatever has the name of the copy (INS-065). Killed at any
 * point it leaves no file of that name or a complete one; the same request may be repeated, and fails an earlier one that still runs.
 * Throws FileRefused.
 */
export async function copyDatabaseFile(
  request: CopyRequest,
  clone: Clone = reflink,
  attempt = process.pid,
): Promise<CopyMode> {
  const from = await requireFileInside(request.from, request.fromRoot)
  await mkdir(dirname(request.to), { recursive: true })
  const to = join(await requireInside(dirname(request.to), request.toRoot), basename(request.to))
  const write = async (fresh: string): Promise<CopyMode> => {
    const mode = (await cloned(from, fresh, clone)) ? 'reflink' : await backedUp(from, fresh)
    await chmod(fresh, (await stat(from)).mode & 0o777)
    await settle(fresh, to)
    return mode
  }
  return writeFresh(to, write, attempt)
}

/** Removes a copy with its log, complete or not. One that is not there, or whose folder leads out of the checkout, is none. */
export async function dropDatabaseFile({ to, toRoot }: Pick<CopyRequest, 'to' | 'toRoot'>): Promise<void> {
  const folder = await requireInside(dirname(to), toRoot).catch((error: unknown) => {
    if (error instanceof FileRefused) return undefined
    throw error
  })
  if (folder === undefined) return
  await discard(join(folder, basename(to)))
  await discardFresh(join(folder, basename(to)))
}

/** Under the write lock, so that file and log are of one moment. False without block cloning, or behind a writer. */
async function cloned(from: string, fresh: string, clone: Clone): Promise<boolean> {
  try {
    // Nobody has to wait for a file system that cannot do it.
    await clone(from, fresh)
  } catch {
    return false
  }
  using database = new DatabaseSync(from, { timeout: 0 })
  try {
    await begin(database, 'BEGIN IMMEDIATE', LOCK_MILLISECONDS)
  } catch {
    await discard(fresh)
    return false
  }
  await rm(fresh)
  // The file comes last: whoever closes it loses what this process has locked of it (howtocorrupt.html, 2.2), and then its last user
  // may take the log away. What a checkpoint wrote into it since is in the log too.
  const log = `${from}-wal`
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  )
  if (size > 0) await clone(log, `${fresh}-wal`)
  await clone(from, fresh)
  database.exec('ROLLBACK')
  return true
}

async function backedUp(from: string, fresh: string): Promise<'backup'> {
  await discard(fresh)
  await backUp(from, fresh, LOCK_MILLISECONDS)
  return 'backup'
}
