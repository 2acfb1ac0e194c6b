import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openScratch } from './scratch.ts'

test('the folder of a run is open to every user and goes with everything in it', () => {
  const scratch = openScratch({})
  writeFileSync(join(scratch.folder, 'left-by-a-test'), '')
  assert.equal(statSync(scratch.folder).mode & 0o7777, 0o1777)
  scratch[Symbol.dispose]()
  assert.equal(existsSync(scratch.folder), false)
})

test('TMPDIR, or memory without room or that is missing, puts it on the disk', () => {
  const place = mkdtempSync(join(tmpdir(), 'fleet-scratch-'))
  using given = openScratch({ TMPDIR: tmpdir() }, place)
  using missing = openScratch({}, join(place, 'nowhere'))
  using full = openScratch({}, '/proc')
  for (const { folder } of [given, missing, full]) assert.equal(dirname(folder), tmpdir())
  rmSync(place, { recursive: true })
})
