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
}

/** Throws TypeError on an option that does not exist. */
export function parseArguments(words: readonly string[]): SuiteArguments {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      changed: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      part: { type: 'string' },
    },
  })
  const { changed, whole, part } = values
  return { filters: positionals, isChanged: changed, isWhole: whole, part }
}
