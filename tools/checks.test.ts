import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Check, checksOf, chosen, tell } from './checks.ts'
import { parseSource, readTree } from './tree.ts'

const lines = async (check: Check): Promise<readonly string[]> => (await tell(check, () => 0)).lines

test('a check without problems is one line with its time and what it saw', async () => {
  const check: Check = {
    name: 'sizes',
    run: () => ({ seen: 3, unit: 'files', problems: [], note: 'median 1' }),
  }
  assert.deepEqual(await lines(check), ['ok   sizes          0.0 s  3 files  median 1'])
})

test('problems follow their check', async () => {
  const check: Check = { name: 'sizes', run: () => ({ seen: 3, unit: 'files', problems: ['a', 'b'] }) }
  assert.deepEqual(await lines(check), ['FAIL sizes          0.0 s  3 files', '       a', '       b'])
})

test('a check that saw nothing fails', async () => {
  const { ok, lines: outcome } = await tell({
    name: 'sizes',
    run: () => ({ seen: 0, unit: 'files', problems: [] }),
  })
  assert.equal(ok, false)
  assert.match(outcome.join('\n'), /saw no files/)
})

test('a check that throws fails with its reason', async () => {
  const outcome = await tell({ name: 'sizes', run: () => Promise.reject(new Error('no rows')) })
  assert.equal(outcome.ok, false)
  assert.match(outcome.lines.join('\n'), /no rows/)
})

test('words choose checks by their names, and a word of none is an error', () => {
  const all = checksOf('.', [])
  const names = (...words: readonly string[]) => chosen(all, words).map(({ name }) => name)
  assert.deepEqual(names('lists', 'types'), ['types', 'step lists'])
  assert.equal(names().length, all.length)
  assert.throws(() => names('types', 'tpyes'), /tpyes/)
})

test('an empty tree is an error, not a pass', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'fleet-tree-'))
  context.after(() => rmSync(root, { recursive: true }))
  assert.throws(() => readTree(root), /no source files found/)
})

test('a file that does not parse is named', () => {
  assert.throws(() => parseSource('packages/x/src/x.ts', 'const = 1'), /packages\/x\/src\/x\.ts: /)
})

test('every static check has a name of its own', () => {
  const names = checksOf('.', []).map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
})
