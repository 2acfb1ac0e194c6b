import { parseArgs } from 'node:util'

export interface MutateOptions {
  /** Parts of paths; without one the files of the change are broken. */
  readonly paths: readonly string[]
  readonly count: number
  readonly seed: number
  /** Commit from which on files count as changed; where the branch left `main` when absent. */
  readonly since: string | undefined
  /** The run ends after it, with what it has found by then. */
  readonly minutes: number
  /** Only the nearest tests are run: those beside a file and those that import it. */
  readonly isNear: boolean
  /** The count is for each path, and so is the summary. */
  readonly isEach: boolean
  /** Report survivors without failing. */
  readonly isReport: boolean
}

export const USAGE =
  'npm run mutate [-- PATH…] [--count N] [--seed S] [--since COMMIT] [--minutes M] [--near] [--each] [--report]'

const COUNT = 20
const SEED = 1

/** Throws with the usage for anything else than whole numbers and known flags. */
export function readOptions(args: readonly string[]): MutateOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      count: { type: 'string' },
      seed: { type: 'string' },
      since: { type: 'string' },
      minutes: { type: 'string' },
      near: { type: 'boolean' },
      each: { type: 'boolean' },
      report: { type: 'boolean' },
    },
  })
  return {
    paths: positionals,
    count: wholeNumber('--count', values.count, COUNT),
    seed: wholeNumber('--seed', values.seed, SEED),
    since: values.since,
    minutes: wholeNumber('--minutes', values.minutes, Infinity),
    isNear: values.near === true,
    isEach: values.each === true && positionals.length > 0,
    isReport: values.report === true,
  }
}

function wholeNumber(flag: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > 2 ** 32)
    throw new Error(`${flag} takes a whole number: ${USAGE}`)
  return value
}
