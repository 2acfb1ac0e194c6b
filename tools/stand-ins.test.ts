import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Requirements } from './requirements.ts'
import { membersOf, standIns } from './stand-ins.ts'
import { parseSource } from './tree.ts'

const absent = parseSource(
  'packages/fleet/src/compose/absent.ts',
  'export const noRoutes = { countOwned: () => 0, list: () => [], servesPublic: none }',
)
const TESTS = 'packages/fleet/src/x.test.ts'
const over = "test('over a fake [ENV-001, ENV-002]', () => { world.servesPublic = true })"
const free = "test('over nothing [ENV-001]', () => { world.list() })"

/** Ids of the rows whose proof is refused. */
function refused(
  source: string,
  { path = TESTS, ...further }: Partial<Requirements> & { path?: string } = {},
) {
  const requirements = { rows: [], replaced: [], partly: [], ...further }
  const { problems } = standIns([absent, parseSource(path, source)], requirements)
  return problems.map((line) => / {2}([A-Z]+-\d+) {2}is proven only over /.exec(line)?.[1] ?? line)
}

test('members of stand-ins are read from them, but for names that other ports have too', () => {
  assert.deepEqual([...membersOf([absent])], ['countOwned', 'servesPublic'])
})

test('a row that is proven over a stand-in alone is refused, and one other test is enough', () => {
  assert.deepEqual(refused(over), ['ENV-001', 'ENV-002'])
  assert.deepEqual(refused(`${over}\n${free}`), ['ENV-002'])
})

test('tests of the domain that a member is named after are its own', () => {
  const source = "test('x [ENV-001]', () => countOwned())"
  assert.deepEqual(refused(source, { path: 'packages/fleet/src/countOwned/x.test.ts' }), [])
})

test('tests on both dialects and subtests count, each for itself', () => {
  assert.deepEqual(refused("forEachDialect('x [ENV-001]', () => countOwned())"), ['ENV-001'])
  const nested = `test('all', async (context) => {
  await context.test('x [ENV-001]', () => countOwned())
  await context.test('y [ENV-002]', () => list())
})`
  assert.deepEqual(refused(nested), ['ENV-001'])
})

test('a row that is partly proven or replaced, and a test that fills no port of a domain, are left alone', () => {
  assert.deepEqual(
    refused(over, {
      partly: [{ id: 'ENV-001', missing: 'a' }],
      replaced: [{ id: 'ENV-002', decision: '0001' }],
    }),
    [],
  )
  assert.deepEqual(refused(over, { path: 'packages/lockfiles/src/x.test.ts' }), [])
})
