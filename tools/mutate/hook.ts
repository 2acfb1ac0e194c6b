// Loaded before everything else in a process under test, and in those that it starts: one file is read with one place broken,
// or some files with every function marked.
import { appendFileSync, readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { beforeEach, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { applyPlace, MARKS, type Marks, MUTANT, type Mutant } from './mutant.ts'

/** The test file that runs, for this process and those that it starts. */
const TEST = 'FLEET_MARKS_TEST'

const { [MUTANT]: mutant, [MARKS]: marks } = process.env
if (mutant !== undefined) readBroken(JSON.parse(mutant) as Mutant) // Written by this program's parent.
if (marks !== undefined) readMarked(JSON.parse(readFileSync(marks, 'utf8')) as Marks) // Written by it too.

function readBroken(given: Mutant): void {
  replacing((file) => (file === given.file ? applyPlace(readFileSync(file, 'utf8'), given) : undefined))
}

function readMarked({ sources, log }: Marks): void {
  replacing((file) => (Object.hasOwn(sources, file) ? sources[file] : undefined))
  const seen = new Set<string>()
  Object.assign(globalThis, {
    fleetReached: (path: string, body: number) => {
      const line = `${path}\t${body}\t${process.env[TEST] ?? ''}\n`
      if (seen.has(line)) return
      seen.add(line)
      appendFileSync(log, line)
    },
  })
  if (process.execArgv.includes('--test'))
    beforeEach((context) => {
      const { filePath } = context as TestContext // Only tests are within the root.
      process.env[TEST] = filePath ?? ''
    })
}

function replacing(sourceOf: (file: string) => string | undefined): void {
  registerHooks({
    load: (url, context, next) => {
      const source = url.startsWith('file:') ? sourceOf(fileURLToPath(url)) : undefined
      return source === undefined
        ? next(url, context)
        : { format: 'module', source: stripTypeScriptTypes(source), shortCircuit: true }
    },
  })
}
