import { chmodSync, constants, globSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { placeFile } from '@fleet/pki'
import { dumpRecords, restoreRecords, tryRestore } from '@fleet/store'
import { messageOf } from '#/reason.ts'
import { freeBytes } from './free-bytes.ts'

const DATABASE = 'gateway.sqlite'

/** Where the records of a gateway are: PostgreSQL at `url`, or the SQLite file in `home`. */
export interface RecordsPlace {
  readonly home: string
  readonly url: string | undefined
}

/** Ending of a snapshot's name: a copy of the SQLite file, or the lines of a dump. */
export const snapshotEnding = ({ url }: RecordsPlace): string => (url === undefined ? '.sqlite' : '.records')

/** Copies the records while they are at rest or in use: one consistent state, in a file that is complete or not there. */
export async function snapshotDatabase({ home, url }: RecordsPlace, target: string): Promise<void> {
  const beside = `${target}.new`
  rmSync(beside, { force: true })
  try {
    if (url === undefined) {
      using database = new DatabaseSync(join(home, DATABASE), { readOnly: true, timeout: 10_000 })
      database.prepare('vacuum into ?').run(beside)
    } else await writeLines(beside, dumpRecords(url))
    chmodSync(beside, 0o600)
    placeFile(beside, target)
  } finally {
    // On a full disk the part that was written would keep it full.
    rmSync(beside, { force: true })
  }
}

async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  let batch = ''
  for await (const line of lines) {
    batch += `${line}\n`
    if (batch.length < BATCH_CHARACTERS) continue
    await file.write(batch)
    batch = ''
  }
  await file.write(batch)
}

const BATCH_CHARACTERS = 1024 * 1024

/** Puts a snapshot in the place of the records. No gateway may have the database open. */
export async function restoreDatabase({ home, url }: RecordsPlace, snapshot: string): Promise<void> {
  if (url !== undefined) {
    await using file = await open(snapshot)
    return await restoreRecords(url, file.readLines())
  }
  const place = join(home, DATABASE)
  const beside = `${place}.restoring`
  try {
    await copyFile(snapshot, beside, constants.COPYFILE_FICLONE)
  } catch (error) {
    // On a full disk the part that was written would keep it full.
    rmSync(beside, { force: true })
    throw error
  }
  chmodSync(beside, 0o600)
  // The log belongs to the database that goes; beside another one it would be its ruin.
  for (const suffix of ['-wal', '-shm']) rmSync(`${place}${suffix}`, { force: true })
  placeFile(beside, place)
}

/**
 * Proves, while nothing has changed, that the snapshot could take the place of the records. Throws with the reason why not, and
 * removes it then. No gateway may have the database open.
 */
export async function requireRestorable(
  { home, url }: RecordsPlace,
  snapshot: string,
  disk: Disk = thisDisk,
): Promise<void> {
  try {
    if (url === undefined) await requireRoom(home, snapshot, disk)
    else await requireTrial(url, snapshot)
  } catch (error) {
    // Nobody returns to it, and it takes the room that the gateway of before needs.
    rmSync(snapshot, { force: true })
    throw error
  }
}

async function requireTrial(url: string, snapshot: string): Promise<void> {
  await using file = await open(snapshot)
  await tryRestore(url, file.readLines()).catch((error: unknown) => {
    throw new Error(`the records could not be restored from their snapshot: ${messageOf(error)}`, {
      cause: error,
    })
  })
}

/** The disk that the records are on, as far as a copy of them asks. */
export interface Disk {
  freeBytes(path: string): Promise<number>
  /** Whether a copy of the file would share its blocks. */
  sharesBlocks(file: string): Promise<boolean>
}

const thisDisk: Disk = {
  freeBytes,
  sharesBlocks: async (file) => {
    const probe = `${file}.probe`
    try {
      await copyFile(file, probe, constants.COPYFILE_FICLONE_FORCE)
      return true
    } catch {
      return false
    } finally {
      rmSync(probe, { force: true })
    }
  },
}

async function requireRoom(home: string, snapshot: string, disk: Disk): Promise<void> {
  if (await disk.sharesBlocks(snapshot)) return
  const [free, needed] = [await disk.freeBytes(home), statSync(snapshot).size]
  if (free < needed)
    throw new Error(
      `${home} has ${free} bytes free, but to restore the records from their snapshot takes ${needed}`,
    )
}

/** Where the snapshots of upgrades lie, newest name last. */
export function snapshotFolder(home: string): string {
  const folder = join(home, 'snapshots')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/**
 * Removes all but the newest snapshots. That of the upgrade which has just ended stays whatever its name: a clock that was set back
 * sorts it before older ones.
 */
export function pruneSnapshots(home: string, keep: number, own: string | null): void {
  const folder = snapshotFolder(home)
  const named = own === null ? undefined : basename(own)
  const all = globSync('*.{sqlite,records}', { cwd: folder })
  const others = all.filter((name) => name !== named).toSorted()
  const kept = keep - (all.length - others.length)
  for (const name of others.slice(0, Math.max(0, others.length - kept))) rmSync(join(folder, name))
}
