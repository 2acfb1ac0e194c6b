import assert from 'node:assert/strict'
import { cpSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksOfGuide, follow, ROOT } from './follow.ts'
import { addedLines } from './guide.ts'

const FILES = join(ROOT, 'docs/guides/add-a-domain')
const MOST_LINES = 350

const files = globSync('**/*.*', { cwd: FILES })

test(`the domain of the guide takes at most ${MOST_LINES} lines, tests and wiring included`, () => {
  const written = files.map((path) => readFileSync(join(FILES, path), 'utf8').split('\n').length - 1)
  const lines = [...written, ...blocksOfGuide('add-a-domain').map(addedLines)].reduce((sum, one) => sum + one)
  assert.ok(files.length > 10, files.join(', '))
  assert.ok(lines <= MOST_LINES, `${lines} lines`)
})

test('the guide, followed to the letter, adds a domain that passes every check and its own tests', async (context) => {
  const printed = await follow(context, 'add-a-domain', (copy) => cpSync(FILES, copy, { recursive: true }))
  const [generated = '', checked = '', tested = ''] = printed
  assert.match(generated, /wrote docs\/reference\/openapi\.json/)
  assert.match(checked, /^ok {3}step lists/m)
  assert.match(tested, /\n\d+ passed, 0 failed, 0 skipped\n$/)
})
