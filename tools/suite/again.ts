import type { Chunk } from './chunks.ts'
import type { Failure, Outcome } from './outcome.ts'
import { inPool } from './pool.ts'

/** Where more files or parts than these failed, something is broken, and nothing is to be learnt from another try. */
export const MOST_AGAIN = 4

export interface Ran {
  readonly chunk: Chunk
  readonly outcome: Outcome
}

/** Tries the few parts that failed once more, one after the other, so that nothing else keeps the machine busy. */
export async function tryFailedAgain(
  ran: readonly Ran[],
  run: (chunk: Chunk) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const failed = ran.filter(({ outcome }) => outcome.failures.length > 0)
  if (failed.length > MOST_AGAIN) return ran.map(({ outcome }) => outcome)
  return inPool(ran, 1, ({ chunk, outcome }) => tryAgain(chunk, outcome, run))
}

/**
 * The files of the tests of a part that failed; all of its files where it was the process that failed. Where all tests ran and
 * something stayed open, it is what failed that did not clean up.
 */
export function failedFiles({ files }: Chunk, { failures, isLeftOpen = false }: Outcome): readonly string[] {
  const places = failures.map(({ place }) => files.find((file) => place.startsWith(`${file}:`)))
  const placed = new Set(places.filter((file) => file !== undefined))
  const isKnown = isLeftOpen ? placed.size > 0 : !places.includes(undefined)
  return isKnown ? [...placed] : files
}

/**
 * Runs what failed once more, alone, and takes what passes then for passed but unsteady: it is told in full, and fails nobody's
 * change that had no part in it (decision 0294). What fails twice has failed.
 */
export async function tryAgain(
  chunk: Chunk,
  first: Outcome,
  run: (chunk: Chunk) => Promise<Outcome>,
): Promise<Outcome> {
  if (first.failures.length === 0) return first
  const files = failedFiles(chunk, first)
  const hasDied = files === chunk.files
  if (!hasDied && files.length > MOST_AGAIN) return first
  const again = { ...chunk, name: `${chunk.name} again`, files }
  const second = await run(again)
  // Where the second process dies, nothing has passed.
  if (second.failures.length > 0 && failedFiles(again, second) === files)
    return { ...first, failures: [...first.failures, ...second.failures] }
  const isSame = (a: Failure) => (b: Failure) => a.name === b.name
  const unsteady = first.failures.filter((failure) => !second.failures.some(isSame(failure)))
  return {
    ...first,
    passed: hasDied ? second.passed : first.passed + unsteady.filter(({ place }) => place !== '').length,
    failures: second.failures,
    unsteady,
    skipped: hasDied ? second.skipped : first.skipped,
    cpuSeconds: (first.cpuSeconds ?? 0) + (second.cpuSeconds ?? 0),
  }
}
