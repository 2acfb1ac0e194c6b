import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calls } from './calls.ts'
import { parseSource } from './tree.ts'

const CREATED = 'const call = { requestId, note, deadline, locks: new CallLocks(fail) }'
const problemsIn = (path: string, text: string): readonly string[] =>
  calls([parseSource(path, text)]).problems.map((problem) => problem.split(' ')[0] ?? '')

test('the executor creates Calls, tests do too, and nothing else may', () => {
  const executor = parseSource('packages/fleet/src/work/executor.ts', CREATED)
  assert.deepEqual(calls([executor]), { seen: 2, unit: 'places that create a Call', problems: [] })
  const job = 'apps/gateway/src/jobs/renew.ts'
  assert.deepEqual(problemsIn(job, CREATED), [`${job}:1`, `${job}:1`])
  assert.deepEqual(problemsIn('apps/gateway/src/jobs/renew.test.ts', CREATED), [])
  assert.deepEqual(problemsIn('packages/testing/src/call.ts', CREATED), [])
})

test('a Call with the locks of another, or copied with other members, is one as well', () => {
  const file = 'packages/fleet/src/nodes/show.ts'
  assert.deepEqual(problemsIn(file, '\nconst mine = { note, deadline, locks: call.locks }'), [`${file}:2`])
  assert.deepEqual(problemsIn(file, 'const mine = { ...call, deadline }'), [`${file}:1`])
  assert.deepEqual(problemsIn(file, 'const facts = { ...call, name: 1, note }'), [`${file}:1`])
  assert.deepEqual(problemsIn(file, 'const facts = { requestId, deadline }; f({ call, ...rest })'), [])
})

test('a tree without a place that creates a Call was not looked at', () => {
  assert.equal(calls([parseSource('packages/fleet/src/nodes/show.ts', 'f()')]).seen, 0)
})
