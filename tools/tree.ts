import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ParseResult, parseSync } from 'oxc-parser'

/** One parsed source file of the project. */
export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly parsed: ParseResult
  /** Line of a character offset, from 1. */
  lineAt(offset: number): number
}

/** What a checker found. `seen` is how many things it looked at: a checker that saw nothing proves nothing. */
export interface Report {
  readonly seen: number
  /** What was counted, in the plural. */
  readonly unit: string
  /** One line each, `file:line  reason` where there is a place. */
  readonly problems: readonly string[]
  /** Figures worth a word even when all is well. */
  readonly note?: string
}

const PATTERNS = ['{apps,packages}/*/src/**/*.{ts,tsx}', '{tests,tools,bench,lab}/**/*.{ts,tsx}']

/** Parses text as the given file. Throws on a syntax error and names the file. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  const [error] = parsed.errors
  if (error) throw new Error(`${path}: ${error.message}`)
  const starts = lineStarts(text)
  return { path, text, parsed, lineAt: (offset) => countUpTo(starts, offset) }
}

/** Every source file below a root, sorted. Throws when there is none: an empty tree would pass every check. */
export function readTree(root: string): readonly SourceFile[] {
  const paths = globSync(PATTERNS, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
  if (paths.length === 0) throw new Error(`no source files found below ${root}`)
  return paths.map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
}

export const isTest = (path: string): boolean => path.endsWith('.test.ts')

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** How many of the ascending numbers are not above the bound. */
function countUpTo(ascending: readonly number[], bound: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? 0) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
