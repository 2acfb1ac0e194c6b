import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Checkpoints, COMMITS_PER_CHECKPOINT } from '#/sqlite/checkpoints.ts'

test('enough commits bring the log into the file while the writer stays open', async () => {
  const directory = temporary()
  const path = join(directory, 'gateway.sqlite')
  const writer = new DatabaseSync(path)
  try {
    writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table facts (name text)')
    writer.exec(`insert into facts values ('kept')`)
    const checkpoints = new Checkpoints(path)
    for (let commit = 1; commit < COMMITS_PER_CHECKPOINT; commit += 1) checkpoints.committed()
    assert.equal(tablesIn(path, directory), 0)
    checkpoints.committed()
    await checkpoints.close()
    assert.equal(tablesIn(path, directory), 1)
  } finally {
    writer.close()
    rmSync(directory, { recursive: true })
  }
})

test('a file that cannot be opened costs no more than its checkpoint', async () => {
  const directory = temporary()
  try {
    const checkpoints = new Checkpoints(join(directory, 'missing', 'gateway.sqlite'))
    for (let commit = 0; commit < COMMITS_PER_CHECKPOINT; commit += 1) checkpoints.committed()
    await checkpoints.close()
  } finally {
    rmSync(directory, { recursive: true })
  }
})

const temporary = (): string => mkdtempSync(join(tmpdir(), 'fleet-checkpoints-'))

/** Tables that the file holds without its log. */
function tablesIn(path: string, directory: string): number {
  const copy = join(directory, 'copy.sqlite')
  copyFileSync(path, copy)
  using database = new DatabaseSync(copy, { readOnly: true })
  return database.prepare('select name from sqlite_master').all().length
}
