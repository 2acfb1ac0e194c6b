import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readRequirements } from './requirements.ts'

const HEAD = 'id\tarea\tkind\tstatement\thow_to_check\n'
const row = (id: string): string => `${id}\tenv\trule\tA statement.\tA way.\n`

function project(context: TestContext, rows: string, replaced = '', partly = ''): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-requirements-'))
  context.after(() => rmSync(root, { recursive: true }))
  for (const folder of ['docs/requirements', 'docs/decisions'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'docs/decisions/0004-locks.md'), '# Locks\n')
  writeFileSync(join(root, 'docs/requirements/a.tsv'), HEAD + rows)
  writeFileSync(join(root, 'docs/requirements/replaced.tsv'), `id\tdecision\n${replaced}`)
  writeFileSync(join(root, 'docs/requirements/partly.tsv'), `id\tmissing\n${partly}`)
  return root
}

test('rows and replaced rows are read', (context) => {
  const { rows, replaced } = readRequirements(
    project(context, row('ENV-001') + row('GW-046'), 'GW-046\t0004\n'),
  )
  assert.deepEqual(rows[0], { id: 'ENV-001', area: 'env', kind: 'rule', statement: 'A statement.' })
  assert.deepEqual(replaced, [{ id: 'GW-046', decision: '0004' }])
})

const broken: ReadonlyArray<readonly [what: string, rows: string, replaced: string, expected: RegExp]> = [
  ['no rows at all', '', '', /no requirement rows/],
  ['a double id', row('ENV-001') + row('ENV-001'), '', /ENV-001 stands twice/],
  ['a missing cell', 'ENV-001\tenv\trule\n', '', /a\.tsv:2: a row is/],
  ['a malformed id', row('env-1'), '', /a\.tsv:2: a row is/],
  ['a replaced row that does not exist', row('ENV-001'), 'ENV-002\t0004\n', /ENV-002 is no requirement/],
  ['a decision page that does not exist', row('ENV-001'), 'ENV-001\t0009\n', /no decision page 0009/],
]
for (const [what, rows, replaced, expected] of broken) {
  test(`${what} is refused`, (context) => {
    assert.throws(() => readRequirements(project(context, rows, replaced)), expected)
  })
}

test('a partly proven row exists, binds, is listed once and says what is missing', (context) => {
  const rows = row('ENV-001') + row('GW-046')
  const read = (partly: string) => readRequirements(project(context, rows, 'GW-046\t0004\n', partly))
  assert.deepEqual(read('ENV-001\tthe second clause\n').partly, [
    { id: 'ENV-001', missing: 'the second clause' },
  ])
  assert.throws(() => read('ENV-009\tall\n'), /ENV-009 is no requirement/)
  assert.throws(() => read('GW-046\tall\n'), /GW-046 is in replaced\.tsv too/)
  assert.throws(() => read('ENV-001\ta\nENV-001\tb\n'), /partly\.tsv:3: ENV-001 is listed twice/)
  assert.throws(() => read('ENV-001\t \n'), /partly\.tsv:2: a row is an id and a text/)
})
