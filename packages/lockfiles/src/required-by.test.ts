import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requiredBy, ROOT } from './required-by.ts'
import type { Graph, Requirement } from './graph.ts'

type Edge = readonly [source: string | undefined, target: string | undefined, more?: Partial<Requirement>]

const graph = (ids: readonly string[], edges: readonly Edge[]): Graph => ({
  ecosystem: 'npm',
  resolutions: ids.map((id) => ({
    id,
    name: id,
    version: '1.0.0',
    regular: true,
    development: false,
    reference: undefined,
    integrity: undefined,
  })),
  requirements: edges.map(([source, target, more]) => ({
    source,
    target,
    name: target ?? 'none',
    constraint: '*',
    kind: 'dependency',
    scope: 'regular',
    optional: false,
    ...more,
  })),
})

test('each resolution has what requires it on a shortest path, also around a circle', () => {
  const edges: readonly Edge[] = [
    [undefined, 'a'],
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['a', 'c'],
    ['c', undefined],
  ]
  assert.deepEqual(requiredBy(graph(['a', 'b', 'c', 'x'], edges)), [ROOT, 0, 0, undefined])
})

test('a path of regular requirements comes before a shorter one of development, a dependency before a peer', () => {
  const edges: readonly Edge[] = [
    [undefined, 'c', { scope: 'development' }],
    [undefined, 'd', { kind: 'peer' }],
    ['d', 'c', { kind: 'peer' }],
    [undefined, 'a'],
    ['a', 'c'],
    ['c', 'b'],
  ]
  assert.deepEqual(requiredBy(graph(['a', 'b', 'c', 'd'], edges)), [ROOT, 2, 0, ROOT])
})
