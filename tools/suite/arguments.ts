import { parseArgs } from 'node:util'

/** What a run of tests was asked for. */
export interface SuiteArguments {
  /** Parts of paths; all tests when there are none. */
  readonly filters: readonly string[]
  /** Only tests that the change can reach. */
  readonly isChanged: boolean
  /** Sweeps of faults try every combination. */
  readonly isWhole: boolean
  /** Only the part of this name, as a run prints it. */
  readonly part: string | undefined
  /** After so many minutes no further part, or file on hosts, begins; without end when there is none. */
  readonly minutes: number | undefined
}

/** Throws TypeError on an option that does not exist, and on minutes that are no number. */
export function parseArguments(words: readonly string[]): SuiteArguments {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      changed: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      part: { type: 'string' },
      minutes: { type: 'string' },
    },
  })
  const { changed, whole, part, minutes } = values
  if (minutes !== undefined && !/^\d+$/.test(minutes))
    throw new TypeError(`--minutes takes a whole number, not ${minutes}`)
  return {
    filters: positionals,
    isChanged: changed,
    isWhole: whole,
    part,
    minutes: minutes === undefined ? undefined : Number(minutes),
  }
}
