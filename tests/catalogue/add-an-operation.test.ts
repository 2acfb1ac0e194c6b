import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { follow, temporary } from './follow.ts'
import { apply } from './guide.ts'

const PROBE = join(import.meta.dirname, 'add-an-operation.probe.txt')

test('the guide, followed to the letter, adds an operation that every interface offers', async (context) => {
  const printed = await follow(context, 'add-an-operation', (copy) =>
    // Beside the guide's own files, so that the checks of the guide see it too.
    copyFileSync(PROBE, join(copy, 'tests/catalogue/echo-everywhere.test.ts')),
  )
  const [generated = '', , tested = '', where = ''] = printed
  assert.match(generated, /wrote docs\/reference\/openapi\.json/)
  assert.match(tested, /\n\d+ passed, 0 failed, 0 skipped\n$/)
  assert.match(where, /GET \/api\/v1\/nodes\/\{node\}\/echo/)
  assert.match(where, /packages\/fleet\/src\/nodes\/echo\.test\.ts/)
})

test('an edit whose lines are not in the file, or twice, is an error', (context) => {
  const root = temporary(context)
  writeFileSync(join(root, 'a.ts'), 'one\ntwo\none\n')
  const diff = (text: string) => () => apply(root, { language: 'diff', path: 'a.ts', text })
  assert.throws(diff(' three\n+four\n'), /exactly once:\nthree/)
  assert.throws(diff(' one\n+four\n'), /exactly once:\none/)
  diff(' two\n+three\n-one\n')()
  assert.equal(readFileSync(join(root, 'a.ts'), 'utf8'), 'one\ntwo\nthree\n')
})

test('a block may hold several edits of its file, one after the other', (context) => {
  const root = temporary(context)
  writeFileSync(join(root, 'a.ts'), 'one\ntwo\n')
  apply(root, { language: 'diff', path: 'a.ts', text: ' one\n+and\n@@\n-two\n+three\n' })
  assert.equal(readFileSync(join(root, 'a.ts'), 'utf8'), 'one\nand\nthree\n')
})

test('a block that makes a file does not replace one', (context) => {
  const root = temporary(context)
  const block = { language: 'ts', path: 'src/a.ts', text: 'export {}\n' }
  apply(root, block)
  assert.throws(() => apply(root, block), /EEXIST/)
})
