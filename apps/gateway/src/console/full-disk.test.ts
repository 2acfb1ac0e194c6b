import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { fullDisk } from './full-disk.ts'
import { Refusal } from './refusal.ts'

const because = (cause: unknown): Error => new Error('outer', { cause })

const FULL: ReadonlyArray<readonly [string, Error]> = [
  ['a file', Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })],
  ['a quota', Object.assign(new Error('EDQUOT'), { code: 'EDQUOT' })],
  ['SQLite', Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })],
  ['a program', new Refusal('tar ended with status 2: gzip: stdout: No space left on device')],
]

for (const [what, error] of FULL)
  test(`a full disk is one sentence with the place and what helps: ${what}`, () => {
    for (const thrown of [error, because(error)]) {
      const refusal = fullDisk(thrown, ['/nowhere/at/all', tmpdir()], 'Nothing was written')
      assert.ok(refusal)
      assert.match(refusal.message, /^Nothing was written: the disk of \/\S+ is full \(\d+ MB free\)\.$/)
      assert.equal(refusal.next, 'Free some space, then run the same command again.')
    }
  })

test('another error is no full disk, and places that are not there name none', () => {
  for (const error of [new Error('ENOSPC'), Object.assign(new Error(''), { errcode: 5 }), 'text'])
    assert.equal(fullDisk(error, [], ''), undefined)
  assert.equal(fullDisk(FULL[0]?.[1], ['/nowhere'], 'Ended')?.message, 'Ended: a disk is full.')
})
