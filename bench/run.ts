// Runs benchmarks one after the other and prints one JSON line for each measure, or why there is none.
// `npm run bench` runs all, `npm run bench -- NAME…` some, `--record` writes what was
// measured into docs/reference/benchmarks.md; rows of benchmarks that did not run stay.
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import type { Report } from './measure.ts'
import { record } from './record.ts'

const all = globSync('*.bench.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.bench.ts'))
  .toSorted()
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = named.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(', ')}; there are: ${all.join(', ')}`)
  process.exit(2)
}

const reported: Report[] = []
for (const name of named.length === 0 ? all : named) {
  for await (const measure of measuresOf(name)) {
    reported.push(measure)
    console.log(JSON.stringify(measure))
  }
}
if (process.argv.includes('--record')) record(reported)

/** Each in a process of its own: heap and connections that one leaves would slow the next. */
async function* measuresOf(name: string): AsyncGenerator<Report> {
  const child = spawn(process.execPath, [new URL('one.ts', import.meta.url).pathname, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as Report // as: one.ts prints nothing else.
  const code = await ended
  if (code !== 0) throw new Error(`the benchmark ${name} ended with ${code}`)
}
