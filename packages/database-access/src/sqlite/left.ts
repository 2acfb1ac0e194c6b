import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** On a disk, because the memory of a machine may be smaller than its databases. */
export const SNAPSHOTS = '/var/tmp'

const PREFIX = 'fleet-sqlite-'

/** Where this process takes the snapshot of a carriage. The name says who has it, as long as that is at work. */
export const placeOf = (id: string): string =>
  `${PREFIX}${id}.${process.pid}.${startOf(readFileSync(`/proc/${process.pid}/stat`, 'utf8'))}`

/**
 * Removes snapshots of senders that were killed, and any of the carriage: a later attempt takes its place. What belongs to another
 * user stays, and so does what cannot be removed.
 */
export async function dropLeft(folder: string, id?: string): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(PREFIX))
  await Promise.all(
    names.map(async (name) => {
      if (!isOf(name, id) && (await isAlive(name))) return
      const place = join(folder, name)
      const found = await lstat(place).catch(() => undefined)
      if (found && found.uid === process.getuid?.())
        await rm(place, { recursive: true, force: true }).catch(() => undefined)
    }),
  )
}

const isOf = (name: string, id: string | undefined): boolean =>
  id !== undefined && (name === PREFIX + id || name.startsWith(`${PREFIX}${id}.`))

/** Older versions named no process; whether theirs is at work nobody can tell. */
async function isAlive(name: string): Promise<boolean> {
  const [, pid, start] = /\.(\d+)\.(\d+)$/.exec(name) ?? []
  if (pid === undefined) return true
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && startOf(stat) === start
}

/** When a process started, in ticks since the machine did (proc_pid_stat): another one may get its number. */
const startOf = (stat: string): string | undefined => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
