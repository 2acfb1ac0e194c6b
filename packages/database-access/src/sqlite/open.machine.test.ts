import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type OpenFile, openForRead, openForWrite } from './open.ts'

for (const journal of ['delete', 'wal'] as const)
  test(`a file in journal mode ${journal} is opened read-only unless it is to be written [DB-062]`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-open-'))
    using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
    const path = join(folder, 'shop.sqlite')
    const made = new DatabaseSync(path)
    made.exec(`pragma journal_mode = ${journal}; create table t (id integer)`)
    // A second connection keeps the `-wal` file, with which SQLite itself opens the file and not a fixed image of it.
    for (const isOpenElsewhere of [true, false]) {
      if (!isOpenElsewhere) made.close()
      using reader = openForRead(path, false)
      // Without the two guards that stand before it.
      reader.database.setAuthorizer(null)
      reader.database.exec('pragma query_only = off')
      assert.throws(() => reader.database.exec('insert into t values (1)'), /readonly database/)
    }
    using writer = openForWrite(path)
    writer.database.exec('insert into t values (2)')
    assert.deepEqual(
      writer.database
        .prepare('select id from t')
        .all()
        .map((row) => row['id']),
      [2],
    )
  })

test('a reader behind a link sees what is only in the log beside the file, and what is written while it reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-open-'))
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
  const [path, link] = [join(folder, 'shop.sqlite'), join(folder, 'current.sqlite')]
  symlinkSync(path, link)
  const rows = (reader: OpenFile): unknown => reader.database.prepare('select id from t').all().length
  const make = (sql: string): DatabaseSync => {
    const made = new DatabaseSync(path)
    made.exec(sql)
    return made
  }
  {
    using _writer = make('pragma journal_mode = wal; create table t (id integer); insert into t values (1)')
    using reader = openForRead(link, false)
    assert.deepEqual([rows(reader), reader.wasDisturbed()], [1, false])
  }
  using alone = openForRead(link, false)
  assert.equal(alone.wasDisturbed(), false)
  using _writer = make('insert into t values (2)')
  assert.ok(alone.wasDisturbed())
  rmSync(path)
  for (const gone of [link, path])
    assert.throws(() => openForRead(gone, false), { details: { reason: 'missing' } })
})
