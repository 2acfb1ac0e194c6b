// Runs benchmarks one after the other and prints one JSON line for each measure.
// `npm run bench` runs all, `npm run bench -- NAME…` some, `--record` rewrites docs/reference/benchmarks.md.
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import type { Measure } from './measure.ts'
import { record } from './record.ts'

const files = globSync('*.bench.ts', { cwd: import.meta.dirname }).toSorted()
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const chosen =
  names.length === 0 ? files : files.filter((file) => names.includes(basename(file, '.bench.ts')))
if (chosen.length === 0) {
  console.error(
    `no such benchmark; there are: ${files.map((file) => basename(file, '.bench.ts')).join(', ')}`,
  )
  process.exit(2)
}

const measures: Measure[] = []
for (const file of chosen) {
  const { run } = (await import(`./${file}`)) as { run: () => AsyncIterable<Measure> } // Every *.bench.ts exports it.
  for await (const measure of run()) {
    measures.push(measure)
    console.log(JSON.stringify(measure))
  }
}
if (process.argv.includes('--record')) record(measures)
// A pooled connection of a baseline may still be open.
process.exit(0)
