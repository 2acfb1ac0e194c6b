import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CatalogFunction } from './catalog.ts'
import { isNeverCalled } from './stored-calls.ts'

const one = {
  id: 20_001,
  language: 'plpgsql',
  isAggregate: false,
  isIndirect: false,
  partOf: [],
} as unknown as CatalogFunction // What is asked of it.
const call = (id: number, ...args: readonly string[]): string =>
  `{FUNCEXPR :funcid ${id} :funcresulttype 16 :funcretset false :funcvariadic false :funcformat 0 :funccollid 0 :inputcollid 0 :args (${args.join(' ')}) :location -1}`
const column = '{VAR :varno 1 :varattno 1 :vartype 23 :location -1}'
const constant = '{CONST :consttype 23 :constvalue 4 [ 5 0 0 0 0 0 0 0 ]}'
const cast = (arg: string): string => `{RELABELTYPE :arg ${arg} :resulttype 25 :location -1}`
const never = (
  declared: string,
  run: readonly string[] = [],
  unnamed: readonly number[] = [],
  of = one,
): boolean => isNeverCalled(of, { trees: run, ambient: [declared], unnamed })

test('a function that only declarations name is never called when one of its arguments is a column, whatever the planner folds', () => {
  for (const args of [[column], [cast(column)], [call(870, column)], [call(870, cast(column)), constant]])
    assert.equal(never(call(one.id, ...args)), true, args.join())
  for (const arg of [
    constant,
    `{COALESCEEXPR :coalescetype 23 :args (${constant} ${column}) :location -1}`,
    `{CASEEXPR :casetype 23 :arg <> :args (${column}) :defresult ${column}}`,
    `{OPEXPR :opno 551 :args (${column} ${constant})}`,
    call(871, column, constant),
  ])
    assert.equal(never(call(one.id, arg)), false, arg)
  assert.equal(never(call(one.id)), false)
})

test('one mention elsewhere is enough: in a statement, in another call, as an operator, in a cast that nothing names, and in SQL', () => {
  const declared = call(one.id, column)
  assert.equal(never(declared, [call(one.id, column)]), false)
  assert.equal(never(`${declared} ${call(one.id, constant)}`), false)
  assert.equal(
    never(`${declared} {OPEXPR :opno 30000 :opfuncid ${one.id} :args (${column} ${column})}`),
    false,
  )
  assert.equal(never(declared, [], [one.id]), false)
  for (const more of [{ language: 'sql' }, { isIndirect: true }, { isAggregate: true }])
    assert.equal(never(declared, [], [], { ...one, ...more }), false)
  assert.equal(never('{VAR :varno 1}'), false)
  assert.equal(never(declared, [], [], { ...one, language: 'c' }), true)
})
