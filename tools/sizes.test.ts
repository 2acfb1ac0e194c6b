import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BOUNDS, type Exceptions, percentile, sizes } from './sizes.ts'
import { parseSource, type SourceFile } from './tree.ts'

const none: Exceptions = { files: {}, functions: {} }
const lines = (count: number): string => '1\n'.repeat(count)
const source = (path: string, text: string): SourceFile => parseSource(path, text)
const short = Array.from({ length: 40 }, (_, index) => source(`packages/x/src/short-${index}.ts`, lines(10)))
const problems = (tree: readonly SourceFile[], exceptions: Exceptions = none): readonly string[] =>
  sizes(tree, exceptions).problems
const longFile = source('packages/x/src/long.ts', lines(401))
const longFunction = source('packages/x/src/f.ts', `function run() {\n${lines(79)}}\n`)
const shortFunctions = source('packages/x/src/g.ts', 'function a() {\n}\n'.repeat(30))

test('a file of 400 lines passes and one of 401 does not', () => {
  assert.deepEqual(problems([...short, source('packages/x/src/long.ts', lines(400))]), [])
  assert.deepEqual(problems([...short, longFile]), ['packages/x/src/long.ts: 401 lines, may have 400'])
})

test('a test file may be longer than a source file, up to its own bound', () => {
  const tests = [100, 100, 100].map((count, index) =>
    source(`packages/x/src/a${index}.test.ts`, lines(count)),
  )
  assert.deepEqual(problems([...short, ...tests]), [])
  const long = source('packages/x/src/b.test.ts', lines(601))
  assert.match(problems([...short, long]).join('\n'), /b\.test\.ts: 601 lines, may have 600/)
})

test('median and 95th percentile of the source files are held', () => {
  const middling = Array.from({ length: 60 }, (_, index) => source(`packages/x/src/m${index}.ts`, lines(81)))
  assert.deepEqual(problems([...short, ...middling]), ['source files: median is 81 lines, may be 80'])
  const large = Array.from({ length: 5 }, (_, index) => source(`packages/x/src/l${index}.ts`, lines(251)))
  assert.deepEqual(problems([...short, ...large]), ['source files: p95 is 251 lines, may be 250'])
})

test('the 90th percentile of functions is held, one-expression arrows left out', () => {
  const middling = Array.from({ length: 4 }, () => `const f = () => {\n${lines(29)}}\n`).join('')
  const arrows = 'const a = () => 1\n'.repeat(40)
  const file = source('packages/x/src/f.ts', middling + 'function b() {\n}\n'.repeat(16) + arrows)
  assert.match(problems([...short, file]).join('\n'), /functions: p90 is 31 lines, may be 30/)
})

test('a function above the bound is named', () => {
  assert.deepEqual(problems([...short, longFunction, shortFunctions]), [
    `packages/x/src/f.ts#run: 81 lines, may have ${BOUNDS.function.most}`,
  ])
})

test('an exception lets a long file and a long function through', () => {
  const exceptions = {
    files: { 'packages/x/src/long.ts': 401 },
    functions: { 'packages/x/src/f.ts#run': 81 },
  }
  assert.deepEqual(problems([...short, longFile, longFunction, shortFunctions], exceptions), [])
})

test('an exception may not grow, must shrink with its file and go when it is not needed', () => {
  const given = (files: Exceptions['files']): readonly string[] =>
    problems([...short, longFile], { files, functions: {} })
  assert.match(given({ 'packages/x/src/long.ts': 400 })[0] ?? '', /401 lines, its exception says 400/)
  assert.match(given({ 'packages/x/src/long.ts': 402 })[0] ?? '', /lower its exception from 402 to 401/)
  assert.match(
    given({ 'packages/x/src/long.ts': 401, 'packages/x/src/short-1.ts': 500 })[0] ?? '',
    /short-1.*no longer needed/,
  )
  assert.match(
    given({ 'packages/x/src/long.ts': 401, 'packages/x/src/gone.ts': 500 })[0] ?? '',
    /gone.*names nothing/,
  )
})

test('a percentile is a value of the list', () => {
  assert.equal(percentile([5, 1, 3], 0.5), 3)
  assert.equal(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9), 9)
  assert.equal(percentile([], 0.5), 0)
})
