import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { copyTree } from './copy.ts'
import { apply, blocksOf } from './guide.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const GUIDE = readFileSync(join(ROOT, 'docs/guides/add-an-operation.md'), 'utf8')
const PROBE = join(import.meta.dirname, 'add-an-operation.probe.txt')

function temporary(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-guide-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('the guide, followed to the letter, adds an operation that every interface offers', async (context) => {
  const copy = temporary(context)
  copyTree(ROOT, copy)
  const { NODE_TEST_CONTEXT: _, FLEET_TEST_SEED: __, ...env } = process.env
  const shell = async (command: string): Promise<string> => {
    const ended = promisify(execFile)('sh', ['-c', command], {
      cwd: copy,
      env: { ...env, HOME: copy },
      signal: context.signal,
    })
    // What the command said tells more than its status.
    const { stdout } = await ended.catch((error: unknown) => assert.fail(`${command}\n${outputOf(error)}`))
    return stdout
  }
  // Stands beside the guide's own files, so that the checks of the guide see it too.
  copyFileSync(PROBE, join(copy, 'tests/catalogue/echo-everywhere.test.ts'))
  const said: string[] = []
  for (const block of blocksOf(GUIDE)) {
    if (block.language !== 'sh') apply(copy, block)
    else for (const command of block.text.trim().split('\n')) said.push(await shell(command))
  }
  const [generated = '', , tested = '', where = ''] = said
  assert.match(generated, /wrote docs\/reference\/openapi\.json/)
  assert.match(tested, /\n\d+ passed, 0 failed, 0 skipped\n$/)
  assert.match(where, /GET \/api\/v1\/nodes\/\{node\}\/echo/)
  assert.match(where, /packages\/fleet\/src\/nodes\/echo\.test\.ts/)
})

const outputOf = (error: unknown): string =>
  error instanceof Error && 'stdout' in error && 'stderr' in error
    ? `${String(error.stdout)}\n${String(error.stderr)}`
    : String(error)

test('an edit whose lines are not in the file, or twice, is an error', (context) => {
  const root = temporary(context)
  writeFileSync(join(root, 'a.ts'), 'one\ntwo\none\n')
  const diff = (text: string) => () => apply(root, { language: 'diff', path: 'a.ts', text })
  assert.throws(diff(' three\n+four\n'), /exactly once:\nthree/)
  assert.throws(diff(' one\n+four\n'), /exactly once:\none/)
  diff(' two\n+three\n-one\n')()
  assert.equal(readFileSync(join(root, 'a.ts'), 'utf8'), 'one\ntwo\nthree\n')
})

test('a block that makes a file does not replace one', (context) => {
  const root = temporary(context)
  const block = { language: 'ts', path: 'src/a.ts', text: 'export {}\n' }
  apply(root, block)
  assert.throws(() => apply(root, block), /EEXIST/)
})
