import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { importersOf, importGraph, readEntries } from './import-graph.ts'
import { parseSource, readTree } from './tree.ts'

const ROOT = resolve(import.meta.dirname, '..')

test('a specifier is resolved as Node does: relative, of the package, of another workspace', () => {
  const files = {
    'packages/fleet/src/nodes/show.ts': `
      import { a } from './rules.ts'
      import type { b } from '#/call.ts'
      import { c } from '@fleet/store'
      import { d } from '@fleet/store/locks'
      import { readFileSync } from 'node:fs'
      const e = await import('../late.ts')`,
    'packages/fleet/src/nodes/rules.ts': '',
    'packages/fleet/src/call.ts': '',
    'packages/fleet/src/late.ts': '',
    'packages/store/src/index.ts': `export { d } from './locks/index.ts'`,
    'packages/store/src/locks/index.ts': '',
  }
  const entries = new Map([
    ['@fleet/store', 'packages/store/src/index.ts'],
    ['@fleet/store/locks', 'packages/store/src/locks/index.ts'],
  ])
  const tree = Object.entries(files).map(([path, code]) => parseSource(path, code))
  const graph = importGraph(tree, entries)
  assert.deepEqual([...(graph.get('packages/fleet/src/nodes/show.ts') ?? [])].toSorted(), [
    'packages/fleet/src/call.ts',
    'packages/fleet/src/late.ts',
    'packages/fleet/src/nodes/rules.ts',
    'packages/store/src/index.ts',
    'packages/store/src/locks/index.ts',
  ])
  assert.deepEqual([...importersOf(graph, ['packages/store/src/locks/index.ts'])].toSorted(), [
    'packages/fleet/src/nodes/show.ts',
    'packages/store/src/index.ts',
    'packages/store/src/locks/index.ts',
  ])
})

test('every entry of every workspace leads to a file of the tree', () => {
  const paths = new Set(readTree(ROOT).map(({ path }) => path))
  const entries = readEntries(ROOT)
  assert.ok(entries.has('@fleet/kernel') && entries.has('@fleet/sdk/core'))
  assert.deepEqual(
    [...entries].filter(([, path]) => !paths.has(path)),
    [],
  )
})
