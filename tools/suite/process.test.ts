import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Outcome } from './outcome.ts'
import type { Limits } from './chunks.ts'
import { runChunk } from './process.ts'

const LIMITS: Limits = { test: 5, silence: 20, leave: 0.5 }

/** Runs one file with the given tests as a chunk of its own. */
async function run(context: TestContext, tests: string, limits: Limits = LIMITS): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'fleet-suite-'))
  context.after(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'a.test.mjs'), `import { describe, test } from 'node:test'\n${tests}\n`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const chunk = { name: 'chunk', files: ['a.test.mjs'], env: {} }
  return runChunk(chunk, { root, seed: 1, env, signal: context.signal, limits })
}

test('passes, failures and skips of a test process are counted', async (context) => {
  const outcome = await run(
    context,
    `test('one', () => {})
     describe('group', () => test('two', () => {}))
     test('no database', { skip: 'no PostgreSQL' }, () => {})
     test.todo('later')
     test('bad', () => { throw new Error('this one') })`,
  )
  assert.deepEqual(outcome.slow.map(({ name }) => name).toSorted(), ['group › two', 'one'])
  assert.equal(outcome.passed, 2)
  assert.deepEqual(outcome.skipped.get('no PostgreSQL'), 1)
  assert.deepEqual(outcome.skipped.get('still to be written'), 1)
  assert.equal(outcome.failures.length, 1)
  assert.equal(outcome.failures[0]?.name, 'bad')
  assert.match(outcome.failures[0].place, /a\.test\.mjs:6 \(chunk\)/)
  assert.match(outcome.failures[0].error ?? '', /Error: this one/)
})

test('processor time counts for the file whose test it was, whoever registered the test', async (context) => {
  const burn =
    'const used = () => { const { user, system } = process.cpuUsage(); return user + system }; ' +
    'const end = used() + 3e5; while (used() < end) {}'
  const { spent } = await run(
    context,
    `import { writeFileSync } from 'node:fs'
     writeFileSync(new URL('each.mjs', import.meta.url), \`import { test } from 'node:test'
       export const both = (name) => test(name, () => { ${burn} })\`)
     const { both } = await import('./each.mjs')
     both('of another file')
     test('outer', async (context) => { await context.test('inner', () => { ${burn} }) })`,
  )
  assert.deepEqual(Object.keys(spent ?? {}), ['a.test.mjs'])
  const seconds = spent?.['a.test.mjs'] ?? 0
  assert.ok(seconds >= 0.6 && seconds < 3, `${seconds} seconds`)
})

test('what tests print does not disturb the count', async (context) => {
  const outcome = await run(
    context,
    `test('loud', () => { process.stdout.write('no line end'); console.error('noise') })`,
  )
  assert.deepEqual([outcome.passed, outcome.failures], [1, []])
})

test('a process that a test ends early is a failure that names the test', async (context) => {
  const { failures } = await run(
    context,
    `test('leaves', () => new Promise(() => setTimeout(() => { console.log('last words'); process.exit(0) }, 50)))`,
  )
  assert.equal(failures.length, 1)
  assert.match(failures[0]?.name ?? '', /^chunk: the test process ended with status 0 before its tests had/)
  assert.match(failures[0]?.error ?? '', /while it ran: leaves\nlast words/)
})

test('a process that cannot end because something is open is ended and fails', async (context) => {
  const { passed, failures, isLeftOpen } = await run(
    context,
    `test('opens', () => { setInterval(() => {}, 1000) })`,
  )
  assert.equal(passed, 1)
  assert.match(failures[0]?.name ?? '', /left something open/)
  assert.equal(isLeftOpen, true)
  assert.match(failures[0]?.error ?? '', /^open: .*Timeout/)
})

test('a process that says nothing is ended and fails', async (context) => {
  const limits = { ...LIMITS, silence: 1 }
  const { failures, isLeftOpen } = await run(
    context,
    `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
    limits,
  )
  assert.match(failures[0]?.name ?? '', /said nothing for 1 seconds/)
  assert.equal(isLeftOpen, undefined)
})

test('a file that does not load is a failure', async (context) => {
  const { failures } = await run(context, `import { nothing } from 'node:fs'`)
  assert.match(failures[0]?.error ?? '', /does not provide an export named 'nothing'/)
})

test('an error after the end of its test is a failure', async (context) => {
  const { failures } = await run(
    context,
    `test('first', () => { setImmediate(() => { throw new Error('late') }) })
     test('second', () => new Promise((resolve) => setTimeout(resolve, 50)))
     test('third', () => new Promise((resolve) => setTimeout(resolve, 50)))`,
  )
  assert.deepEqual(
    failures.map(({ name }) => name),
    ['an error that nobody caught, when the last to begin was: third'],
  )
  assert.match(failures[0]?.error ?? '', /^Error: late\n +at Immediate.* \(.*a\.test\.mjs:2:/)
})

test('a rejection that nobody awaits is a failure that names the test inside its group', async (context) => {
  const { failures } = await run(
    context,
    `describe('group', () => test('forgets', () => { void Promise.reject(new Error('lost')) }))`,
  )
  assert.equal(failures[0]?.name, 'an error that nobody caught, when the last to begin was: group > forgets')
  assert.match(failures[0]?.error ?? '', /^Error: lost\n/)
})

test('tests run without the hooks that follow every promise', async (context) => {
  const { passed, failures } = await run(
    context,
    `import { executionAsyncId } from 'node:async_hooks'
     test('in an answer', async () => {
       await Promise.resolve()
       if (executionAsyncId() !== 0) throw new Error('promises are followed')
     })`,
  )
  assert.deepEqual([passed, failures], [1, []])
})

test('what a test started and forgot ends with its process', async (context) => {
  const { passed, failures } = await run(
    context,
    `test('forgets', async () => {
       const { spawn } = await import('node:child_process')
       spawn('sleep', ['600'], { stdio: 'inherit' }).unref()
     })`,
  )
  // Its open pipe would keep this run waiting for as long as it lives.
  assert.deepEqual([passed, failures], [1, []])
})

test('a run that was stopped begins no further process', async () => {
  const stopped = AbortSignal.abort()
  const chunk = { name: 'chunk', files: [], env: {} }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const outcome = await runChunk(chunk, { root: tmpdir(), seed: 1, env, signal: stopped, limits: LIMITS })
  assert.match(outcome.failures[0]?.name ?? '', /was stopped/)
})
