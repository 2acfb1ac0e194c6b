import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { format, lint, readFormat, readLint, readTypes, types } from './programs.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** A project with this one's settings and the given files of one package. */
function project(context: TestContext, files: Readonly<Record<string, string>>): string {
  // The compiler prints real paths, and the temporary folder of some systems is a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-programs-')))
  context.after(() => rmSync(root, { recursive: true }))
  for (const name of ['.oxlintrc.json', '.oxfmtrc.json', 'tsconfig.json'])
    copyFileSync(join(ROOT, name), join(root, name))
  // A real folder with links in it: the linter would walk through a link in its place.
  mkdirSync(join(root, 'node_modules'))
  for (const name of ['.bin', '@types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  mkdirSync(join(root, 'packages/x/src'), { recursive: true })
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'packages/x/src', name), text)
  return root
}

test('the compiler finds a planted type error, and a lone good file passes', async (context) => {
  const bad = await types(project(context, { 'x.ts': 'export const a: number = "x"\n' }))
  assert.match(bad.problems.join('\n'), /^packages\/x\/src\/x\.ts\(1,14\): error TS2322/)
  const { seen, problems } = await types(project(context, { 'x.ts': 'export const a = 1\n' }))
  assert.deepEqual([seen, problems], [1, []])
})

const planted: ReadonlyArray<readonly [rule: string, code: string]> = [
  ['no-floating-promises', 'export const f = async (): Promise<void> => {}\nf()\n'],
  ['no-misused-promises', 'export const f = async (): Promise<boolean> => true\nif (f()) console.log(1)\n'],
  ['await-thenable', 'export const f = async (): Promise<void> => { await 1 }\n'],
  ['no-explicit-any', 'export const f = (a: any): string => String(a)\n'],
  ['no-unsafe-member-access', 'export const a: string = JSON.parse("1").x\n'],
  ['no-non-null-assertion', 'export const f = (a: string | undefined): string => a!\n'],
  ['consistent-type-imports', "import { Stats } from 'node:fs'\nexport type A = Stats\n"],
  ['only-throw-error', "export const f = (): never => { throw 'x' }\n"],
  [
    'switch-exhaustiveness-check',
    "export const f = (a: 'x' | 'y'): void => { switch (a) { case 'x': break } }\n",
  ],
  ['no-default-export', 'export default 1\n'],
  [
    'return-await',
    'export const f = async (): Promise<number> => { try { return Promise.resolve(1) } catch { return 2 } }\n',
  ],
]

test('the linter finds every planted habit that it is there to refuse', async (context) => {
  const files = Object.fromEntries(planted.map(([rule, code]) => [`${rule}.ts`, code]))
  const { seen, problems } = await lint(project(context, files))
  assert.equal(seen, planted.length)
  for (const [rule] of planted)
    assert.ok(
      problems.some((problem) => problem.includes(`/${rule}.ts:`) && problem.includes(`(${rule})`)),
      `${rule} was not found`,
    )
})

test('the formatter finds a planted semicolon', async (context) => {
  const { problems } = await format(project(context, { 'x.ts': 'export const a = 1;\n' }))
  assert.ok(problems.includes('packages/x/src/x.ts  is not formatted: npm run format'))
})

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
    'Checking formatting...\n\na.ts (0ms)\nb/c.ts (1.2s)\n\nFormat issues found in above 2 files.\nFinished in 16ms on 298 files using 2 threads.\n'
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
