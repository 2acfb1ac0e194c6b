import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { canOpenSaved, DumpRefused } from '#/index.ts'

test('a dump can be opened where its migrations are the first ones of this version, and what is no dump is refused', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-dump-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const dump = join(folder, 'gateway.records')
  const answer = (text: string): Promise<boolean> => {
    writeFileSync(dump, text)
    return canOpenSaved({ dump })
  }
  const header = (...migrations: readonly string[]): string =>
    `${JSON.stringify({ product: 'fleet-records', format: 1, migrations })}\n["a row"]\n`
  assert.equal(await answer(header('0001-spine', '0002-clusters')), true)
  assert.equal(await answer(header('0001-spine', '9999-later')), false)
  assert.equal(await answer(header('0002-clusters')), false)
  for (const text of ['', '\n', '[]\n']) await assert.rejects(answer(text), DumpRefused)
})
