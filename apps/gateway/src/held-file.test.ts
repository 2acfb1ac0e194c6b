import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { nextTurn } from '@fleet/kernel'
import { holdFile } from './held-file.ts'

test('a file is held until it is let go, also by who has forgotten that it holds it', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-held-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'lock')
  holdFile(path)
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  assert.ok(typeof collect === 'function')
  for (let turn = 0; turn < 3; turn += 1) {
    collect()
    await nextTurn()
  }
  assert.equal(holdFile(path), undefined)
  const other = join(folder, 'other')
  holdFile(other)?.[Symbol.dispose]()
  holdFile(other)?.[Symbol.dispose]()
  using _held = holdFile(other)
  assert.ok(_held)
})
