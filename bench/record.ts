import { readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import type { Measure } from './measure.ts'

const FILE = new URL('../docs/reference/benchmarks.md', import.meta.url)

/** Rewrites the page of figures with those of this run. */
export function record(measures: readonly Measure[]): void {
  const [cpu] = cpus()
  const machine = `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${release()} ${arch()}, Node ${process.versions.node}`
  const rows = measures.map(
    ({ bench, value, unit, baseline, baseline_value, ratio }) =>
      `| ${bench} | ${value} ${unit} | ${baseline} | ${baseline_value} ${unit} | ${ratio} |`,
  )
  const text = [
    '# Benchmarks',
    '',
    'Written by `npm run bench -- --record`. Every value stands beside a baseline measured in the same run on the same',
    'machine; only the ratios mean anything elsewhere. The bars are in the last section of this page.',
    '',
    `Machine: ${machine}.`,
    '',
    '| Measure | Fleet | Baseline | Baseline value | Ratio |',
    '| - | -: | - | -: | -: |',
    ...rows,
    '',
    bars(),
  ].join('\n')
  writeFileSync(FILE, text)
}

/** The hand-written section survives a new run. */
function bars(): string {
  try {
    const [, kept] = readFileSync(FILE, 'utf8').split(/^(?=## Bars)/m)
    return kept ?? ''
  } catch {
    return ''
  }
}
