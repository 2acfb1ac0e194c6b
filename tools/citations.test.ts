import assert from 'node:assert/strict'
import { test } from 'node:test'
import { citations, citationsOf } from './citations.ts'
import type { Requirements } from './requirements.ts'
import { parseSource } from './tree.ts'

// Built from parts, so that this file cites nothing itself.
const cite = (...ids: readonly string[]): string => `[${ids.join(', ')}]`
const cited = (code: string, path = 'packages/x/src/x.test.ts'): readonly string[] =>
  citationsOf(parseSource(path, code)).map(({ id }) => id)

test('the ids at the end of a test name are citations', () => {
  assert.deepEqual(cited(`test('it holds ${cite('ENV-001', 'ENV-002')}', () => {})`), ['ENV-001', 'ENV-002'])
})

test('ids in a template name and in the row of a table are citations', () => {
  const code = `for (const row of [['a case ${cite('ENV-003')}', 1]]) test(\`\${row[0]}\`, f)\ntest(\`for \${x} ${cite('ENV-004')}\`, f)`
  assert.deepEqual(cited(code), ['ENV-003', 'ENV-004'])
})

test('a list that names a range, or that a template fills, is one id that does not exist', () => {
  const range = cite('ENV-001 to ENV-003')
  assert.deepEqual(cited(`test('it holds ${range}', f)`), ['ENV-001 to ENV-003'])
  const filled = cite(['$', '{x}'].join(''), 'ENV-003')
  assert.deepEqual(cited(`test(\`it holds ${filled}\`, f)`), [', ENV-003'])
})

test('brackets in the middle of a name, a comment and a source file cite nothing', () => {
  assert.deepEqual(cited(`test('${cite('ENV-001')} holds', f)`), [])
  assert.deepEqual(cited(`// it holds ${cite('ENV-001')}\n`), [])
  assert.deepEqual(cited(`const a = 'x ${cite('ENV-001')}'`, 'packages/x/src/x.ts'), [])
})

const idle = [
  `test.skip('it holds ${cite('ENV-001')}', f)`,
  `test.todo('it holds ${cite('ENV-001')}')`,
  `test('it holds ${cite('ENV-001')}', { skip: true }, f)`,
  `test('it holds ${cite('ENV-001')}', { todo: 'later' }, f)`,
  `describe.skip('all', () => { test('it holds ${cite('ENV-001')}', f) })`,
]
for (const code of idle)
  test(`nothing is proven by ${code.replaceAll(cite('ENV-001'), '…')}`, () =>
    assert.deepEqual(cited(code), []))

test('a test that a condition may skip still cites', () => {
  assert.deepEqual(cited(`test('it holds ${cite('ENV-001')}', { skip: noDatabase }, f)`), ['ENV-001'])
})

test('an unknown id and a replaced row are problems', () => {
  const requirements: Requirements = {
    rows: ['ENV-001', 'GW-046'].map((id) => ({ id, area: 'a', kind: 'rule', statement: 's' })),
    replaced: [{ id: 'GW-046', decision: '0004' }],
    partly: [],
  }
  const file = parseSource(
    'a.test.ts',
    `test('x ${cite('ENV-001')}', f)\ntest('y ${cite('ENV-999', 'GW-046')}', f)`,
  )
  assert.deepEqual(citations([file], requirements), {
    seen: 3,
    unit: 'citations',
    note: '1 of 1 requirements proven, 0 partly',
    problems: [
      'a.test.ts:2  ENV-999  is no requirement of docs/requirements',
      'a.test.ts:2  GW-046  was replaced by decision 0004',
    ],
  })
})

test('a partly proven row is not counted as proven, and one that no test cites is a problem', () => {
  const requirements: Requirements = {
    rows: ['ENV-001', 'ENV-002', 'ENV-003'].map((id) => ({ id, area: 'a', kind: 'rule', statement: 's' })),
    replaced: [],
    partly: [
      { id: 'ENV-002', missing: 'the second clause' },
      { id: 'ENV-003', missing: 'everything' },
    ],
  }
  const file = parseSource('a.test.ts', `test('x ${cite('ENV-001', 'ENV-002')}', f)`)
  const { note, problems } = citations([file], requirements)
  assert.equal(note, '1 of 3 requirements proven, 2 partly')
  assert.deepEqual(problems, [
    'docs/requirements/partly.tsv  ENV-003  is cited by no test, so it is open: remove it',
  ])
})
