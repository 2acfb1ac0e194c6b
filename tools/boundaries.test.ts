import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundaries, importsOf, problem } from './boundaries.ts'
import { ALLOWED, DOMAINS } from './layers.ts'
import { parseSource } from './tree.ts'

const why = (file: string, code: string): string | undefined => {
  const [edge] = importsOf(parseSource(file, code))
  return edge && problem(edge)
}

const cases: ReadonlyArray<readonly [file: string, code: string, expected: RegExp | undefined]> = [
  ['packages/store/src/db.ts', `import { op } from '@fleet/contract'`, /may import \[kernel\]/],
  ['packages/store/src/db.ts', `import type { Op } from '@fleet/contract'`, undefined],
  ['packages/store/src/db.ts', `import { type Op, op } from '@fleet/contract'`, /may import/],
  ['packages/store/src/db.ts', `import '@fleet/contract'`, /may import/],
  ['packages/ssh/src/db.ts', `import type { Op } from '@fleet/contract'`, /may import/],
  ['packages/pki/src/leaf.ts', `import { fail } from '@fleet/contract'`, /may import \[kernel\]/],
  ['packages/fleet/src/gateway/trust.ts', `import { readRoot } from '@fleet/pki'`, undefined],
  ['packages/fleet/src/nodes/api.ts', `export * from '../routes/api.ts'`, /nodes is below routes/],
  ['packages/fleet/src/routes/x.ts', `import { n } from '#/nodes/queries.ts'`, /through its api.ts/],
  ['packages/fleet/src/routes/x.ts', `import { n } from '#/nodes/ports.ts'`, /through its api.ts/],
  ['packages/fleet/src/routes/x.ts', `import { n } from '#/nodes/api.ts'`, undefined],
  ['packages/fleet/src/routes/x.ts', `import type { Call } from '#/call.ts'`, undefined],
  [
    'packages/fleet/src/ponies/x.ts',
    `import { n } from '#/nodes/api.ts'`,
    /DOMAINS of tools\/layers.ts: ponies/,
  ],
  ['packages/fleet/src/access/access.ts', `import { n } from '#/instances/api.ts'`, undefined],
  ['packages/fleet/src/access/access.ts', `import { n } from '#/instances/queries.ts'`, /through its api.ts/],
  ['packages/fleet/src/nodes/x.ts', `import { a } from '#/access/access.ts'`, /above all domains/],
  ['packages/fleet/src/index.ts', `export * from './access/access.ts'`, undefined],
  ['packages/fleet/src/index.ts', `export * from './nodes/api.ts'`, undefined],
  ['packages/fleet/src/index.ts', `export * from './nodes/queries.ts'`, /through its api.ts/],
  ['packages/fleet/src/routes/create.ts', `import { sql } from 'kysely'`, /queries\.ts/],
  ['packages/fleet/src/routes/queries.ts', `import { sql } from 'kysely'`, undefined],
  ['packages/fleet/src/routes/x.ts', `const cp = await import('node:child_process')`, /packages\/ssh/],
  ['apps/gateway/src/x.ts', `import { Client } from 'ssh2'`, /packages\/ssh/],
  ['packages/fleet/src/routes/x.ts', `import { connect } from 'node:net'`, /sockets belong to apps/],
  ['packages/fleet/src/routes/x.ts', `import { setTimeout } from 'node:timers/promises'`, /Clock/],
  ['packages/fleet/src/routes/x.ts', `import { fake } from '@fleet/testing'`, /fakes stay out/],
  ['packages/fleet/src/routes/x.test.ts', `import { fake } from '@fleet/testing'`, undefined],
  ['apps/console/src/app.tsx', `import { db } from '@fleet/store'`, /may import/],
  ['apps/embedded/src/main.ts', `import { startGateway } from '@fleet/gateway'`, undefined],
  ['apps/cli/src/main.ts', `import { startGateway } from '@fleet/gateway'`, /may import/],
  ['apps/gateway/src/main.ts', `import { e } from '../../../packages/kernel/src/errors.ts'`, /may not leave/],
  ['packages/contract/src/routes/create.ts', `import { inspect } from 'node:util'`, /browser/],
  ['packages/kernel/src/secret.test.ts', `import test from 'node:test'`, undefined],
  ['packages/extra/src/x.ts', `import 'zod'`, /no row in ALLOWED/],
  ['tests/api/x.ts', `import { startGateway } from '@fleet/gateway'`, undefined],
]
for (const [file, code, expected] of cases) {
  test(`${expected ? 'refuses' : 'allows'} ${code} in ${file}`, () => {
    if (expected) assert.match(why(file, code) ?? '', expected)
    else assert.equal(why(file, code), undefined)
  })
}

test('a planted import is reported with its file and line', () => {
  const file = parseSource(
    'packages/store/src/db.ts',
    `import 'kysely'\nimport { op } from '@fleet/contract'\n`,
  )
  assert.deepEqual(boundaries([file]), {
    seen: 2,
    unit: 'imports',
    problems: ['packages/store/src/db.ts:2  @fleet/contract  packages/store may import [kernel]'],
  })
})

test('the package table has no cycle and the list of domains no double', () => {
  const state = new Map<string, 'open' | 'shut'>()
  const visit = (name: string): void => {
    if (state.get(name) === 'open') assert.fail(`cycle through ${name}`)
    if (state.has(name)) return
    state.set(name, 'open')
    for (const next of ALLOWED[`packages/${name}`] ?? []) visit(next)
    state.set(name, 'shut')
  }
  for (const folder of Object.keys(ALLOWED)) visit(folder.replace('packages/', ''))
  assert.equal(new Set(DOMAINS).size, DOMAINS.length)
})
