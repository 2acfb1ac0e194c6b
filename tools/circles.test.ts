import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circles, circlesOf } from './circles.ts'
import { importGraph, type ImportGraph } from './import-graph.ts'
import { parseSource } from './tree.ts'

const ROOM = 'packages/fleet/src/nodes'

const graphOf = (files: Readonly<Record<string, string>>): ImportGraph =>
  importGraph(
    Object.entries(files).map(([path, code]) => parseSource(path, code)),
    new Map(),
  )

test('a type import through the own api.ts of a domain closes a circle, and the report names the trip', () => {
  const graph = graphOf({
    [`${ROOM}/api.ts`]: `export { show } from './show.ts'\nexport interface Node {}`,
    [`${ROOM}/show.ts`]: `import type { Node } from '#/nodes/api.ts'\nexport const show = (node: Node) => node`,
    [`${ROOM}/other.ts`]: `import type { Node } from './api.ts'`,
  })
  assert.deepEqual(circles(graph), {
    seen: 3,
    unit: 'files',
    problems: [`2 files  ${ROOM}/api.ts → ${ROOM}/show.ts → ${ROOM}/api.ts`],
    note: '1 circles',
  })
})

test('imports that meet again without coming back are no circle', () => {
  const graph = graphOf({
    'a.ts': `import './b.ts'\nimport './c.ts'`,
    'b.ts': `import './d.ts'`,
    'c.ts': `import './d.ts'`,
    'd.ts': '',
  })
  assert.deepEqual(circles(graph), { seen: 4, unit: 'files', problems: [], note: '0 circles' })
})

test('circles that share a file are one, a file may import itself, and the smallest comes first', () => {
  const graph = graphOf({
    'a.ts': `import './b.ts'\nimport './c.ts'`,
    'b.ts': `import './a.ts'`,
    'c.ts': `import './a.ts'\nimport './self.ts'`,
    'self.ts': `export * from './self.ts'`,
  })
  assert.deepEqual(
    circlesOf(graph).map((files) => files.toSorted()),
    [['self.ts'], ['a.ts', 'b.ts', 'c.ts']],
  )
})
