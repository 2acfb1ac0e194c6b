import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertions } from './assertions.ts'
import { boundaries } from './boundaries.ts'
import { calls } from './calls.ts'
import { circles } from './circles.ts'
import { citations } from './citations.ts'
import { flushes } from './flushes.ts'
import { globals } from './globals.ts'
import { importGraph, readEntries } from './import-graph.ts'
import { lockfile, readLock } from './lockfile.ts'
import { OPENAPI_FILE, openapi } from './openapi.ts'
import { ports } from './ports.ts'
import { format, lint, types } from './programs.ts'
import { readRequirements } from './requirements.ts'
import { readExported, rowNames } from './row-names.ts'
import { standIns } from './stand-ins.ts'
import { scripts } from './scripts.ts'
import { type Exceptions, sizes } from './sizes.ts'
import { stepLists } from './step-lists.ts'
import type { Report, SourceFile } from './tree.ts'

/** One static check of the tree. */
export interface Check {
  readonly name: string
  run(): Promise<Report> | Report
}

/** Every static check, in the order in which it is reported. A new one is a row here. */
export const checksOf = (root: string, tree: readonly SourceFile[]): readonly Check[] => [
  { name: 'types', run: () => types(root) },
  { name: 'lint', run: () => lint(root) },
  { name: 'format', run: () => format(root) },
  { name: 'boundaries', run: () => boundaries(tree) },
  {
    name: 'circles',
    run: () => circles(importGraph(tree, readEntries(root))),
  },
  {
    name: 'locators',
    // Loaded late, as what is generated: it reads the catalogue.
    run: async () => (await import('./locators.ts')).locators(tree),
  },
  { name: 'ports', run: () => ports(tree) },
  { name: 'scripts', run: () => scripts(root) },
  { name: 'flushes', run: () => flushes(root) },
  { name: 'calls', run: () => calls(tree) },
  { name: 'step lists', run: () => stepLists(tree) },
  { name: 'globals', run: () => globals(tree) },
  { name: 'assertions', run: () => assertions(tree) },
  { name: 'sizes', run: () => sizes(tree, readExceptions(root)) },
  { name: 'lockfile', run: () => lockfile(readLock(root)) },
  { name: 'requirements', run: () => citations(tree, readRequirements(root)) },
  { name: 'stand-ins', run: () => standIns(tree, readRequirements(root)) },
  {
    name: 'row names',
    run: async () => {
      const { declared } = await import('./declared.ts')
      return rowNames(tree, readRequirements(root), { ...declared, exported: readExported(root) })
    },
  },
  {
    name: 'generated',
    // Loaded late: it runs the product's own code, and a fault there must not hide what the others found.
    run: async () => {
      const { outdated } = await import('./generate.ts')
      return outdated(root, tree)
    },
  },
  { name: 'openapi', run: () => openapi(readFileSync(join(root, OPENAPI_FILE), 'utf8')) },
]

/** Those whose name has one of the words; all without words. Throws when a word is in no name. */
export function chosen(checks: readonly Check[], words: readonly string[]): readonly Check[] {
  const unknown = words.find((word) => !checks.some(({ name }) => name.includes(word)))
  if (unknown !== undefined) throw new Error(`no check has ${unknown} in its name`)
  return words.length === 0 ? checks : checks.filter(({ name }) => words.some((word) => name.includes(word)))
}

/** The outcome of one check, as lines to print. */
export interface CheckOutcome {
  readonly name: string
  readonly ok: boolean
  readonly lines: readonly string[]
}

/** Runs one check. A check that throws, or that saw nothing, has failed. */
export async function tell(
  check: Check,
  ticks: () => number = () => performance.now(),
): Promise<CheckOutcome> {
  const start = ticks()
  const { seen, unit, problems, note } = await attempt(check)
  const seconds = ((ticks() - start) / 1000).toFixed(1)
  const all =
    seen === 0 ? [...problems, `saw no ${unit}: a check that looks at nothing proves nothing`] : problems
  const ok = all.length === 0
  const head = `${ok ? 'ok  ' : 'FAIL'} ${check.name.padEnd(12)} ${seconds.padStart(5)} s  ${seen} ${unit}${note ? `  ${note}` : ''}`
  return { name: check.name, ok, lines: [head, ...all.map((problem) => `       ${problem}`)] }
}

async function attempt(check: Check): Promise<Report> {
  try {
    return await check.run()
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { seen: 1, unit: 'fault of the check itself', problems: [text] }
  }
}

// The file is this folder's own; the sizes check reads every number of it.
const readExceptions = (root: string): Exceptions =>
  JSON.parse(readFileSync(join(root, 'tools/exceptions.json'), 'utf8')) as Exceptions // Written by hand, reviewed with the code.
