import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFormat, readLint, readTypes } from './programs.ts'

test('the compiler lists its own files and its problems', () => {
  const output = [
    '/repo/node_modules/typescript/lib/lib.d.ts',
    '/repo/packages/x/src/x.ts',
    '/repo/packages/x/src/y.ts',
    "packages/x/src/x.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    '',
  ].join('\n')
  assert.deepEqual(readTypes('/repo', output, 2), {
    seen: 2,
    unit: 'files',
    problems: ["packages/x/src/x.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."],
  })
})

test('the linter names file, line and rule', () => {
  const output = `{ "diagnostics": [{"message": "No.","code": "eslint(no-var)","filename": "a.ts","labels": [{"span": {"line": 3}}]}], "number_of_files": 5 }`
  assert.deepEqual(readLint(output, 1), { seen: 5, unit: 'files', problems: ['a.ts:3  eslint(no-var)  No.'] })
})

test('a linter that finds no files has seen nothing', () => {
  const output = 'No files found to lint.\n{ "diagnostics": [], "number_of_files": 0 }'
  assert.equal(readLint(output, 1).seen, 0)
  assert.deepEqual(readLint('crashed', 134), {
    seen: 0,
    unit: 'files',
    problems: ['ended with status 134: crashed'],
  })
})

test('the formatter names each file that it would change', () => {
  const output =
    'Checking formatting...\n\na.ts (0ms)\nb/c.ts (12ms)\n\nFormat issues found in above 2 files.\nFinished in 16ms on 298 files using 2 threads.\n'
  assert.deepEqual(readFormat(output, 1), {
    seen: 298,
    unit: 'files',
    problems: ['a.ts  is not formatted: npm run format', 'b/c.ts  is not formatted: npm run format'],
  })
})

test('a formatter that finds no files has seen nothing and failed', () => {
  const { seen, problems } = readFormat('Expected at least one target file.', 2)
  assert.equal(seen, 0)
  assert.match(problems[0] ?? '', /status 2: Expected/)
})
