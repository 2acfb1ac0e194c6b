// The process of one benchmark: `one.ts NAME`.
import type { Report } from './measure.ts'

const { run } = (await import(`./${process.argv[2] ?? ''}.bench.ts`)) as { run: () => AsyncIterable<Report> } // as: every *.bench.ts exports it.
for await (const measure of run()) console.log(JSON.stringify(measure))
// A pooled connection of a baseline may still be open.
process.exit(0)
