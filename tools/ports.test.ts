import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ports } from './ports.ts'
import { parseSource } from './tree.ts'

test('a port is an exported interface of a ports.ts; types beside it are not counted', () => {
  const nodes = parseSource(
    'packages/fleet/src/nodes/ports.ts',
    `export interface Network { join(): void }
     export interface Agents { stop(): void }
     interface Own { x: number }
     export type Reason = 'gone'`,
  )
  const roles = parseSource(
    'packages/fleet/src/roles/ports.ts',
    'export interface Services { start(): void }',
  )
  const other = parseSource('packages/fleet/src/roles/make.ts', 'export interface Roles { add(): void }')
  assert.deepEqual(ports([roles, other, nodes]), {
    seen: 3,
    unit: 'ports',
    problems: [],
    note: 'most in nodes 2, roles 1',
  })
})
