import { type Budgets, overBudget } from './budgets.ts'
import type { Failure, Outcome } from './outcome.ts'

/** Numbers of the last line. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const SLOWEST = 5
const DEAREST = 12

/** Failures in full, then what passed at the second try, the slowest tests, the most expensive files, what is over its budget, and why tests were skipped. */
export function report(outcomes: readonly Outcome[], budgets?: Budgets): readonly string[] {
  const over = budgets === undefined ? [] : overBudget(outcomes, budgets)
  const failed = linesOf(
    'FAIL',
    outcomes.flatMap(({ failures }) => failures),
  )
  const unsteady = linesOf(
    'UNSTEADY, passed when it was run once more:',
    outcomes.flatMap(({ unsteady: failures = [] }) => failures),
  )
  return [
    ...failed,
    ...unsteady,
    ...slowLines(outcomes),
    ...dearLines(outcomes),
    ...over,
    ...skipLines(outcomes),
  ]
}

export const countsOf = (outcomes: readonly Outcome[]): Counts => ({
  passed: sum(outcomes.map(({ passed }) => passed)),
  failed: sum(outcomes.map(({ failures }) => failures.length)),
  skipped: sum(outcomes.flatMap(({ skipped }) => [...skipped.values()])),
})

/** The line that ends every run. */
export const lastLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ')

const linesOf = (word: string, failures: readonly Failure[]): readonly string[] =>
  failures
    .filter(({ error }) => error !== undefined)
    .flatMap(({ name, place, error = '' }) => [
      `${word} ${name}`,
      indent([place, error].filter(Boolean).join('\n')),
      '',
    ])

function slowLines(outcomes: readonly Outcome[]): readonly string[] {
  const slowest = outcomes
    .flatMap(({ slow }) => slow)
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, SLOWEST)
  if (slowest.length === 0) return []
  return [
    'slowest tests',
    ...slowest.map(
      ({ name, milliseconds }) => `  ${(milliseconds / 1000).toFixed(2).padStart(6)} s  ${name}`,
    ),
  ]
}

/** Where the processor time of the machine goes: on a busy one that says more than how long a test took. */
function dearLines(outcomes: readonly Outcome[]): readonly string[] {
  const files = outcomes.flatMap(({ spent = {} }) => Object.entries(spent))
  const dearest = files
    .filter(([, seconds]) => seconds >= 1)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, DEAREST)
  if (dearest.length === 0) return []
  return [
    'files that took most of a core',
    ...dearest.map(([file, seconds]) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`),
  ]
}

function skipLines(outcomes: readonly Outcome[]): readonly string[] {
  const reasons = new Map<string, number>()
  for (const { skipped } of outcomes)
    for (const [reason, count] of skipped) reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  return [...reasons].map(([reason, count]) => `skipped ${count}: ${reason}`)
}
