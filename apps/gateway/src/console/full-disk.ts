import { statfsSync } from 'node:fs'
import { isFullDisk } from '@fleet/store'
import { Refusal } from './refusal.ts'

const MEGABYTE = 1024 * 1024
const PROGRAMS = /No space left on device|Disk quota exceeded/

/**
 * One sentence for a command that ran out of disk, with the fullest of the places that it writes; undefined for any other
 * error. `left` says what became of its work.
 */
export function fullDisk(error: unknown, places: readonly string[], left: string): Refusal | undefined {
  if (!isFullDisk(error) && !saidByProgram(error)) return undefined
  const [fullest] = places.flatMap(spaceOf).toSorted((a, b) => a.free - b.free)
  const where = fullest
    ? `the disk of ${fullest.path} is full (${Math.floor(fullest.free / MEGABYTE)} MB free)`
    : 'a disk is full'
  return new Refusal(`${left}: ${where}.`, 'Free some space, then run the same command again.', error)
}

/** What a program said last. */
const saidByProgram = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof Refusal && PROGRAMS.test(error.message)) || saidByProgram(error.cause))

const spaceOf = (path: string): ReadonlyArray<{ readonly path: string; readonly free: number }> => {
  try {
    const { bavail, bsize } = statfsSync(path)
    return [{ path, free: bavail * bsize }]
  } catch {
    return []
  }
}
