import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { differences, write } from './generate.ts'
import { readSettings, settingsPage } from './settings.ts'

function folder(context: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-generate-'))
  context.after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'docs/reference'), { recursive: true })
  return root
}

test('a missing, a changed and a stray file are reported, and writing mends all three', (context) => {
  const root = folder(context)
  const files = { 'docs/reference/a.md': 'a\n', 'docs/reference/b.md': 'b\n', 'apps/cli/src/c.json': '{}\n' }
  writeFileSync(join(root, 'docs/reference/b.md'), 'old\n')
  writeFileSync(join(root, 'docs/reference/gone.md'), 'gone\n')
  assert.deepEqual(differences(root, files), [
    'docs/reference/a.md  is out of date: npm run generate',
    'docs/reference/b.md  is out of date: npm run generate',
    'apps/cli/src/c.json  is out of date: npm run generate',
    'docs/reference/gone.md  is written by nothing: npm run generate',
  ])
  assert.equal(write(root, files).length, 4)
  assert.deepEqual(differences(root, files), [])
  assert.equal(readFileSync(join(root, 'apps/cli/src/c.json'), 'utf8'), '{}\n')
  assert.deepEqual(write(root, files), [])
})

test('the settings page has one table for each process', () => {
  const page = settingsPage([
    { name: 'gateway', settings: [{ name: 'A_B', default: 'x | y', meaning: 'It is.' }] },
  ])
  assert.match(
    page,
    /## gateway\n\n\| Name \| Default \| Meaning \|\n\| - \| - \| - \|\n\| `A_B` \| x \\\| y \| It is\. \|\n$/,
  )
})

test('settings are read from every env.ts, and a file without a table is refused', async (context) => {
  const root = folder(context)
  await assert.rejects(readSettings(root), /no apps/)
  mkdirSync(join(root, 'apps/gateway/src'), { recursive: true })
  const file = join(root, 'apps/gateway/src/env.ts')
  writeFileSync(file, `export const settings = [{ name: 'A', default: 'b', meaning: 'c' }]\n`)
  assert.deepEqual(await readSettings(root), [
    { name: 'gateway', settings: [{ name: 'A', default: 'b', meaning: 'c' }] },
  ])
  mkdirSync(join(root, 'apps/cli/src'), { recursive: true })
  writeFileSync(join(root, 'apps/cli/src/env.ts'), `export const settings = [{ name: 'A' }]\n`)
  await assert.rejects(readSettings(root), /apps\/cli\/src\/env\.ts exports no table/)
})
