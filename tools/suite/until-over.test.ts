import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastLine, countsOf, report } from './tell.ts'
import { untilOver } from './until-over.ts'

const FILES = ['network', 'roles', 'doctor', 'dead-node'].map((name) => ({ name }))

test('no file begins after the minutes are over, and the report names those that did not', () => {
  let now = 0
  const { queue, outcomes } = untilOver(FILES, 2, { now: () => now })
  const begun: string[] = []
  for (const { name } of queue) {
    begun.push(name)
    now += 60_000
  }
  assert.deepEqual(begun, ['network', 'roles'])
  assert.deepEqual(report(outcomes()), ['skipped 2: files not begun within 2 minutes: dead-node, doctor'])
  assert.equal(lastLine(countsOf(outcomes())), '0 passed, 0 failed, 2 skipped')
})

test('without minutes every file begins, whoever takes it', () => {
  let now = 0
  const { queue, outcomes } = untilOver(FILES, undefined, { now: () => (now += 1e12) })
  const [first] = queue
  assert.deepEqual(first, { name: 'network' })
  assert.equal([...untilOver(FILES, undefined, { now: () => (now += 1e12) }).queue].length, 4)
  assert.deepEqual(outcomes(), [])
})

test('the minutes may have begun before, and the report says what was handed out', () => {
  const { queue, outcomes } = untilOver(FILES, 1, { what: 'parts', now: () => 60_000, start: 0 })
  assert.deepEqual([...queue], [])
  assert.deepEqual(report(outcomes()), [
    'skipped 4: parts not begun within 1 minutes: dead-node, doctor, network, roles',
  ])
})
