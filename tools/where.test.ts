import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation, type Operation } from '@fleet/contract'
import { parseSource } from './tree.ts'
import { places } from './where.ts'

const operation = findOperation('node:show') as Operation // Declared for as long as there are Nodes.

const tree = [
  parseSource(
    'packages/contract/src/nodes/show.ts',
    `export const nodeShow = operation({\n  name: 'node:show',\n})\n`,
  ),
  parseSource('packages/fleet/src/nodes/api.ts', `const handlers = { 'node:show': makeShow() }\n`),
  parseSource(
    'packages/fleet/src/nodes/show.ts',
    `\nexport const makeShow = (): Handler<'node:show'> => f\n`,
  ),
  parseSource('packages/fleet/src/nodes/show.test.ts', `test('shows', f)\n`),
  parseSource('tests/api/a.test.ts', `test('node:show answers', f)\n`),
  parseSource('tests/api/b.test.ts', `test('node:show-all answers', f)\n`),
]

test('an operation is found in the file that declares it, the file that handles it and its tests', () => {
  const { contract, handler, tests } = places(operation, tree)
  assert.equal(contract, 'packages/contract/src/nodes/show.ts:2')
  assert.equal(handler, 'packages/fleet/src/nodes/show.ts:2')
  assert.deepEqual(tests, ['packages/fleet/src/nodes/show.test.ts', 'tests/api/a.test.ts'])
})

test('a handler without a type of its own is found where it is entered', () => {
  const { handler } = places(
    operation,
    tree.filter(({ path }) => !path.endsWith('/show.ts')),
  )
  assert.equal(handler, 'packages/fleet/src/nodes/api.ts:1')
})

test('the names under which interfaces offer it follow from the declaration', () => {
  const { docs, cli, http, mcp } = places(operation, [])
  assert.deepEqual(
    { docs, cli, http, mcp },
    {
      docs: 'docs/reference/operations.md#nodeshow',
      cli: './fleet node:show',
      http: 'GET /api/v1/nodes/{node}',
      mcp: 'node-show',
    },
  )
})

test('an operation that the tree lacks has no places, rather than wrong ones', () => {
  const { contract, handler, tests } = places(operation, [])
  assert.deepEqual([contract, handler, tests], [undefined, undefined, []])
})
