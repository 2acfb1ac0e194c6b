import { functionsOf } from './functions.ts'
import { isTest, type Report, type SourceFile } from './tree.ts'

/** Bounds in lines. Tests may be longer: a table of cases is read row by row. */
export const BOUNDS = {
  source: { median: 80, p95: 250, most: 400 },
  test: { median: 160, p95: 400, most: 600 },
  function: { p90: 30, most: 80 },
} as const

/**
 * Files and functions above `most`, with the length they may have at the most. The list may only shrink:
 * a row that is longer than needed, or not needed, is a problem itself. Functions are `path#name`.
 */
export interface Exceptions {
  readonly files: Readonly<Record<string, number>>
  readonly functions: Readonly<Record<string, number>>
}

interface Measured {
  readonly name: string
  readonly lines: number
}

/** File and function lengths against the bounds and the list of exceptions. */
export function sizes(tree: readonly SourceFile[], exceptions: Exceptions): Report {
  const sources = tree.filter(({ path }) => !isTest(path))
  const files = {
    source: sources.map(measureFile),
    test: tree.filter(({ path }) => isTest(path)).map(measureFile),
  }
  const functions = sources.flatMap(functionsOf)
  const problems = [
    ...spread('source files', files.source, BOUNDS.source),
    ...spread('test files', files.test, BOUNDS.test),
    ...above(files.source, BOUNDS.source.most, exceptions.files),
    ...above(files.test, BOUNDS.test.most, exceptions.files),
    ...spread('functions', functions, BOUNDS.function),
    ...above(functions, BOUNDS.function.most, exceptions.functions),
    ...unknown(exceptions.files, [...files.source, ...files.test]),
    ...unknown(exceptions.functions, functions),
  ]
  return { seen: tree.length, unit: 'files', problems, note: figures(files.source, functions) }
}

/** The value below which the given share of the numbers lies; 0 for none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0
}

const SHARES = { median: 0.5, p90: 0.9, p95: 0.95 } as const

function spread(
  what: string,
  measured: readonly Measured[],
  bounds: Readonly<Record<string, number>>,
): readonly string[] {
  const lines = measured.map((one) => one.lines)
  return Object.entries(SHARES).flatMap(([name, share]) => {
    const bound = bounds[name]
    const value = percentile(lines, share)
    return bound !== undefined && value > bound ? [`${what}: ${name} is ${value} lines, may be ${bound}`] : []
  })
}

function above(
  measured: readonly Measured[],
  most: number,
  allowed: Readonly<Record<string, number>>,
): readonly string[] {
  return measured.flatMap(({ name, lines }) => {
    const exception = allowed[name]
    if (exception === undefined) return lines > most ? [`${name}: ${lines} lines, may have ${most}`] : []
    if (lines <= most) return [`${name}: the exception is no longer needed, remove it`]
    if (lines > exception) return [`${name}: ${lines} lines, its exception says ${exception}`]
    return lines < exception ? [`${name}: lower its exception from ${exception} to ${lines}`] : []
  })
}

const unknown = (
  allowed: Readonly<Record<string, number>>,
  measured: readonly Measured[],
): readonly string[] =>
  Object.keys(allowed)
    .filter((name) => !measured.some((one) => one.name === name))
    .map((name) => `${name}: the exception names nothing, remove it`)

const measureFile = ({ path, text, lineAt }: SourceFile): Measured => ({
  name: path,
  lines: lineAt(Math.max(0, text.length - 1)),
})

function figures(files: readonly Measured[], functions: readonly Measured[]): string {
  const lines = files.map((one) => one.lines)
  const longest = files.toSorted((a, b) => b.lines - a.lines)[0]
  return [
    `median ${percentile(lines, SHARES.median)}`,
    `p95 ${percentile(lines, SHARES.p95)}`,
    `longest ${longest?.lines ?? 0} (${longest?.name ?? 'none'})`,
    `function p90 ${percentile(
      functions.map((one) => one.lines),
      SHARES.p90,
    )}`,
  ].join(', ')
}
