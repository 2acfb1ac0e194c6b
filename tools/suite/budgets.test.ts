import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { domainOf, overBudget, readBudgets, spentBy } from './budgets.ts'
import type { Outcome } from './outcome.ts'

const nothing = { passed: 0, failures: [], skipped: new Map(), slow: [] }
const outcomes: readonly Outcome[] = [
  {
    ...nothing,
    spent: { 'packages/fleet/src/dns/list.test.ts': 2, 'packages/ssh/src/pool.test.ts': 1 },
  },
  { ...nothing, spent: { 'packages/fleet/src/dns/steps/apply.test.ts': 1.5 } },
  { ...nothing, lab: 'network', cpuSeconds: 90 },
]

test('what tests take is added up by domain, and by file on hosts', () => {
  assert.deepEqual(
    [...spentBy(outcomes)],
    [
      ['network', 90],
      ['packages/fleet/dns', 3.5],
      ['packages/ssh', 1],
    ],
  )
})

test('who takes more than its row, or than the default without one, is named', () => {
  assert.deepEqual(overBudget(outcomes, { default: 3, rows: { network: 80, 'packages/fleet/dns': 4 } }), [
    'over budget: network took 90.0 of 80 processor seconds',
  ])
  assert.deepEqual(overBudget(outcomes, { default: 3, rows: { network: 100 } }), [
    'over budget: packages/fleet/dns took 3.5 of 3 processor seconds',
  ])
})

test('a domain is a folder of packages/fleet, a package, an app, or a folder of tests', () => {
  assert.deepEqual(
    [
      'packages/fleet/src/dns/x.test.ts',
      'apps/cli/src/x.test.ts',
      'tests/api/x.test.ts',
      'tools/suite/x.test.ts',
    ].map(domainOf),
    ['packages/fleet/dns', 'apps/cli', 'tests/api', 'tools'],
  )
})

test('the budgets leave three times as many domains and files on hosts room in half an hour of two cores', () => {
  const root = resolve(import.meta.dirname, '../..')
  const seconds = (['tests', 'lab'] as const)
    .flatMap((kind) => Object.values(readBudgets(root, kind).rows))
    .reduce((sum, row) => sum + row, 0)
  assert.ok(seconds > 0)
  assert.ok(3 * seconds <= 2 * 30 * 60, `${seconds} processor seconds`)
})

test('every file that runs on demand is a file of tests on hosts, without a budget', () => {
  const root = resolve(import.meta.dirname, '../..')
  const { rows, onDemand = [] } = readBudgets(root, 'lab')
  assert.ok(onDemand.length > 0)
  for (const name of onDemand) {
    assert.ok(existsSync(resolve(root, `tests/lab/${name}.test.ts`)), name)
    assert.equal(rows[name], undefined, name)
  }
})
