import { type Line, unframe } from './line.ts'

export interface Failure {
  readonly name: string
  readonly place: string
  readonly error: string | undefined
}

/** A test that passed, and how long it took. */
export interface Timed {
  readonly name: string
  readonly milliseconds: number
}

/** What one test process came to. */
export interface Outcome {
  readonly passed: number
  readonly failures: readonly Failure[]
  /** The process had to be ended after its last test: one of them left something open, and none is missing. */
  readonly isLeftOpen?: boolean
  /** What failed at first and passed when it was run once more. */
  readonly unsteady?: readonly Failure[]
  /** Reason → number of tests. */
  readonly skipped: ReadonlyMap<string, number>
  /** Each test that passed. */
  readonly slow: readonly Timed[]
  /** Processor seconds of the tests of each file, by its path relative to the root. */
  readonly spent?: Readonly<Record<string, number>>
  /** Processor seconds of the process and of everything that it started and waited for. */
  readonly cpuSeconds?: number
  /** The file on hosts that it ran, if it did. */
  readonly lab?: string
}

/** How a test process ended, as its parent saw it. */
export interface Ended {
  readonly chunk: string
  readonly output: string
  readonly status: number | undefined
  /** Why the parent ended it, if it did. */
  readonly killed: string | undefined
  /** It was ended because it stayed after its last test. */
  readonly isLeftOpen?: boolean
  readonly cpuSeconds: number
}

const LAST_WORDS = 4000

/** Reads the output of a test process. One that did not come to its end counts as one more failure. */
export function outcomeOf(ended: Ended): Outcome {
  const { lines, rest } = unframe(ended.output)
  const failures = lines
    .filter((line) => line.kind === 'fail')
    .map(({ name, place, error }) => ({ name, place: `${place} (${ended.chunk})`.trim(), error }))
  const died = deathOf(ended, lines, failures.length > 0, rest)
  const reasons = lines.filter((line) => line.kind === 'skip').map(({ reason }) => reason)
  const passes = lines.filter((line) => line.kind === 'pass')
  return {
    passed: passes.length,
    failures: died ? [...failures, died] : failures,
    ...(ended.isLeftOpen === true ? { isLeftOpen: true } : {}),
    skipped: new Map(
      [...Map.groupBy(reasons, (reason) => reason)].map(([reason, all]) => [reason, all.length]),
    ),
    slow: passes,
    spent: lines.find((line) => line.kind === 'spent')?.files ?? {},
    cpuSeconds: ended.cpuSeconds,
  }
}

function deathOf(
  ended: Ended,
  lines: readonly Line[],
  hasFailures: boolean,
  rest: string,
): Failure | undefined {
  const finished = lines.some(({ kind }) => kind === 'end')
  if (finished && ended.killed === undefined && (ended.status === 0 || hasFailures)) return undefined
  const why = ended.killed ?? `ended with status ${ended.status ?? 'unknown'} before its tests had`
  const running = runningAt(lines)
  const during = running.length > 0 && !finished ? `\nwhile it ran: ${running.join('; ')}` : ''
  return {
    name: `${ended.chunk}: the test process ${why}`,
    place: '',
    error: `${during}\n${rest.slice(-LAST_WORDS)}`.trim(),
  }
}

/** Names that were started and came to nothing. */
function runningAt(lines: readonly Line[]): readonly string[] {
  const running = new Set<string>()
  for (const line of lines) {
    if (line.kind === 'start') running.add(line.name)
    else if (line.kind !== 'end' && line.kind !== 'idle' && line.kind !== 'spent') running.delete(line.name)
  }
  return [...running]
}
