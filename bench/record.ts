import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import type { Report } from './measure.ts'

const FILE = new URL('../docs/reference/benchmarks.md', import.meta.url)

/** Puts the figures of this run into the page; those of benchmarks that did not run stay, and so does what is written by hand. */
export function record(reported: readonly Report[]): void {
  const before = existing()
  const [cpu] = cpus()
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()} ${arch()}, Node ${process.versions.node}`
  const rows = new Map(before.rows)
  for (const one of reported) if (!('skipped' in one) || !rows.has(one.bench)) rows.set(one.bench, rowOf(one))
  const text = [
    '# Benchmarks',
    '',
    'Written by `npm run bench -- --record`. Every value stands beside a baseline measured in the same run on the same',
    'machine; only the ratios mean anything elsewhere. The bars are in the last section of this page.',
    '',
    `Machine of the last run: ${machine}. Rows of earlier runs may be of another one.`,
    '',
    '| Measure | Fleet | Baseline | Baseline value | Ratio |',
    '| - | -: | - | -: | -: |',
    ...[...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    '',
    before.rest,
  ].join('\n')
  writeFileSync(FILE, text)
}

const rowOf = (reported: Report): string =>
  'skipped' in reported
    ? `| ${reported.bench} | skipped: ${reported.skipped} | | | |`
    : `| ${reported.bench} | ${reported.value} ${reported.unit} | ${reported.baseline} | ${reported.baseline_value} ${reported.unit} | ${reported.ratio} |`

interface Page {
  /** Bench → its line of the table. */
  readonly rows: ReadonlyMap<string, string>
  /** From the first hand-written section on. */
  readonly rest: string
}

function existing(): Page {
  if (!existsSync(FILE)) return { rows: new Map(), rest: '' }
  const [table = '', rest = ''] = readFileSync(FILE, 'utf8').split(/^(?=## Bars)/m)
  const rows = [...table.matchAll(/^\| ([a-z][\w-]*) \|.*$/gm)].map(
    ([row, bench = '']) => [bench, row] as const,
  )
  return { rows: new Map(rows), rest }
}
