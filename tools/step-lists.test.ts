import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tell } from './checks.ts'
import { stepLists } from './step-lists.ts'
import { parseSource } from './tree.ts'

const LIST = 'packages/fleet/src/x/steps.ts'
const PROOF = 'packages/fleet/src/x/steps.test.ts'

const check = (files: Readonly<Record<string, string>>) =>
  stepLists(Object.entries(files).map(([path, code]) => parseSource(path, code)))

const proper = { [LIST]: "export const a = stepList<C>('a', [])\n", [PROOF]: "testStepList('a', {})\n" }

test('a list with its property tests passes and is counted', () => {
  assert.deepEqual(check(proper), {
    seen: 1,
    unit: 'step lists',
    problems: [],
    note: '1 with both properties',
  })
})

test('a list without property tests is named', () => {
  const { problems, note } = check({ ...proper, 'apps/x/src/b.ts': "\nconst b = stepList('b', [])\n" })
  assert.match(problems.join('\n'), /^apps\/x\/src\/b\.ts:2 {2}b has no property tests/)
  assert.equal(note, '1 with both properties')
})

test('a proof in the list’s own file, or of another list, proves nothing', () => {
  const own = check({ [LIST]: "stepList('a', [])\ntestStepList('a', {})\n" })
  assert.equal(own.problems.length, 1)
  const other = check({ [LIST]: "stepList('a', [])\n", [PROOF]: "testStepList('b', {})\n" })
  assert.deepEqual(
    other.problems.map((problem) => problem.replace(/^\S+\s+/, '').slice(0, 22)),
    ['a has no property test', 'there is no list b'],
  )
})

test('two lists of one name, and a name that is computed, are refused', () => {
  const twice = check({ ...proper, 'packages/fleet/src/y/b.ts': "stepList('a', [])\n" })
  assert.match(twice.problems.join('\n'), /another list is called a/)
  const computed = check({ ...proper, 'packages/fleet/src/y/b.ts': 'stepList(name, [])\n' })
  assert.match(computed.problems.join('\n'), /is a literal/)
})

test('a step that is reported without the runner is refused, and one passed on is not', () => {
  const by = (code: string) => check({ ...proper, 'packages/fleet/src/y/b.ts': code }).problems
  assert.match(by("call.progress({ step: 'a', status: 'done' })").join('\n'), /declare a stepList/)
  assert.deepEqual(by('call.progress(progress)'), [])
})

test('a tree without a list fails the check', async () => {
  const { ok, lines } = await tell({ name: 'step lists', run: () => check({ [LIST]: 'export {}\n' }) })
  assert.equal(ok, false)
  assert.match(lines.join('\n'), /saw no step lists/)
})
