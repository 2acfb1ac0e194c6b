import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Requirements } from './requirements.ts'
import { readExported, rowNames } from './row-names.ts'
import { parseSource } from './tree.ts'

const declared = {
  codes: ['node.not_found', 'node.gone', 'node.inspection_failed', 'role.inspection_failed'],
  paths: new Set(['GET /nodes/{}']),
  exported: new Set(['FLEET_SEED']),
}
const contract = parseSource(
  'packages/contract/src/nodes/errors.ts',
  `export const errors = { 'node.not_found': 1, 'node.gone': 2 }\nexport const a = { errors: ['node.gone'] }`,
)
const product = parseSource(
  'packages/fleet/src/nodes/show.ts',
  `throw fail('node.not_found')\nconst name = 'inspection_failed'\nread(env.FLEET_HOME)`,
)

/** Problems of one cited row with the given statement. */
function problems(statement: string, further: Partial<Requirements> = {}): readonly string[] {
  const id = 'ENV-001'
  const cited = parseSource('a.test.ts', `test('x [${id}]', f)`)
  const rows = [{ id, area: 'a', kind: 'rule', statement }]
  const { problems: found } = rowNames(
    [contract, product, cited],
    { rows, replaced: [], partly: [], ...further },
    declared,
  )
  return found.map((line) => / names (.*), which does not exist/.exec(line)?.[1] ?? line)
}

test('a proven row may name what the product uses', () => {
  assert.deepEqual(
    problems(
      'Answers `node.not_found`, `role.inspection_failed` at `GET /api/v1/nodes/{id}?all=1`; see `FLEET_HOME`, `FLEET_SEED` and `meta.request_id`.',
    ),
    [],
  )
})

test('what scripts for Nodes set for programs is read from them', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'fleet-row-names-'))
  context.after(() => rmSync(root, { recursive: true }))
  const folder = join(root, 'packages/fleet/src')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'a.sh'), 'x=1; export FLEET_A="$x" FLEET_B=2; echo FLEET_C=3\nexport HOME=/\n')
  writeFileSync(join(folder, 'b.ts'), 'export FLEET_D=4')
  assert.deepEqual([...readExported(root)], ['FLEET_A', 'FLEET_B'])
})

test('a code that is declared and never used, a code, setting or path that is not there are problems', () => {
  assert.deepEqual(
    problems('`node.gone`, `node.lost`, `FLEET_AWAY`, `POST /nodes/{node}`, `GET /api/v1/roles`'),
    ['node.gone', 'node.lost', 'FLEET_AWAY', 'POST /nodes/{node}', 'GET /api/v1/roles'],
  )
})

test('what a row says does not exist, examples and older names are no problem', () => {
  assert.deepEqual(problems('There is no `node.lost`.'), [])
  assert.deepEqual(problems('Rows stay; there is no `node.lost` event.'), [])
  assert.deepEqual(problems('Client-only: `node.lost`.'), [])
  assert.deepEqual(problems('A code such as `node.lost` (older name `node.left`).'), [])
})

test('a row that is open, replaced or partly proven may name anything', () => {
  const statement = '`node.lost`'
  assert.deepEqual(problems(statement, { partly: [{ id: 'ENV-001', missing: 'all' }] }), [])
  assert.deepEqual(problems(statement, { replaced: [{ id: 'ENV-001', decision: '0001' }] }), [])
  assert.deepEqual(problems(statement, { rows: [] }), [])
})
