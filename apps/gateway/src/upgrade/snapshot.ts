import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { copyFile, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const DATABASE = 'gateway.sqlite'

/** Copies the database while it is at rest or in use: one consistent state, in a file that is whole or not there. */
export async function snapshotDatabase(home: string, target: string): Promise<void> {
  const beside = `${target}.new`
  rmSync(beside, { force: true })
  using database = new DatabaseSync(join(home, DATABASE), { readOnly: true, timeout: 10_000 })
  database.prepare('vacuum into ?').run(beside)
  await synced(beside)
  renameSync(beside, target)
}

/** Puts a snapshot in the place of the database. Nothing may have the database open. */
export async function restoreDatabase(home: string, snapshot: string): Promise<void> {
  const place = join(home, DATABASE)
  const beside = `${place}.restoring`
  await copyFile(snapshot, beside)
  await synced(beside)
  // The log belongs to the database that goes; beside another one it would be its ruin.
  for (const suffix of ['-wal', '-shm']) rmSync(`${place}${suffix}`, { force: true })
  renameSync(beside, place)
}

/** Where the snapshots of upgrades lie, newest name last. */
export function snapshotFolder(home: string): string {
  const folder = join(home, 'snapshots')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

export function pruneSnapshots(home: string, keep: number): void {
  const folder = snapshotFolder(home)
  const names = globSync('*.sqlite', { cwd: folder }).toSorted()
  for (const name of names.slice(0, Math.max(0, names.length - keep))) rmSync(join(folder, name))
}

export const hasDatabase = (home: string): boolean => existsSync(join(home, DATABASE))

async function synced(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.chmod(0o600)
  await file.sync()
}
