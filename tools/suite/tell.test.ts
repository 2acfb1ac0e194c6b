import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from './outcome.ts'
import { openPostgres } from './postgres.ts'
import { inPool } from './pool.ts'
import { countsOf, lastLine, report } from './tell.ts'

const outcomes: readonly Outcome[] = [
  {
    passed: 2,
    failures: [
      { name: 'bad', place: 'a.test.ts:3 (unit 1)', error: 'Error: x\nat y' },
      { name: 'outer', place: '', error: undefined },
    ],
    skipped: new Map([['no PostgreSQL', 2]]),
    slow: [
      { name: 'quick', milliseconds: 1 },
      { name: 'slow', milliseconds: 1234 },
    ],
  },
  {
    passed: 1,
    failures: [],
    skipped: new Map([['no PostgreSQL', 1]]),
    slow: [],
    spent: { 'quick.test.ts': 0.4, 'dear.test.ts': 2, 'dearer.test.ts': 71.25 },
  },
]

test('failures stand in full, then the slowest tests, the most expensive files and the reasons of skips', () => {
  assert.deepEqual(report(outcomes), [
    'FAIL bad',
    '    a.test.ts:3 (unit 1)\n    Error: x\n    at y',
    '',
    'slowest tests',
    '    1.23 s  slow',
    '    0.00 s  quick',
    'files that took most of a core',
    '    71.3 s  dearer.test.ts',
    '     2.0 s  dear.test.ts',
    'skipped 3: no PostgreSQL',
  ])
})

test('the last line counts every test once', () => {
  assert.equal(lastLine(countsOf(outcomes)), '3 passed, 2 failed, 3 skipped')
})

test('a pool works on as many items as it has workers and keeps their order', async () => {
  const most = { now: 0, ever: 0 }
  const results = await inPool([3, 1, 2, 0], 2, async (turns) => {
    most.now += 1
    most.ever = Math.max(most.ever, most.now)
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    most.now -= 1
    return turns * 10
  })
  assert.deepEqual(results, [30, 10, 20, 0])
  assert.equal(most.ever, 2)
})

test('a PostgreSQL server that the environment names is used as it is', async () => {
  await using postgres = await openPostgres({ FLEET_TEST_DATABASE_URL: 'postgres://elsewhere/db' })
  assert.equal(postgres.url, 'postgres://elsewhere/db')
})
