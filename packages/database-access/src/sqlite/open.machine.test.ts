import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openForRead, openForWrite } from './open.ts'

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
