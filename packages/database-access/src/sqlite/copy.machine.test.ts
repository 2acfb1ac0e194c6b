import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Clone, copyDatabaseFile, dropDatabaseFile } from './copy.ts'
import { settle } from './files.ts'

/** Copies bytes where a file system would share blocks. */
const bytes: Clone = (from, to) => copyFile(from, to)
const none: Clone = async () => {
  throw new Error('this file system shares no blocks')
}

function ground(journal: 'wal' | 'delete') {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-copy-')))
  const [fromRoot, toRoot] = [join(root, 'default'), join(root, 'feature')]
  for (const each of [fromRoot, toRoot]) mkdirSync(each)
  const from = join(fromRoot, 'database.sqlite')
  const database = new DatabaseSync(from)
  database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA wal_autocheckpoint = 10`)
  database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, pair INTEGER, filler TEXT)')
  return {
    database,
    from,
    toRoot,
    request: { from, fromRoot, to: join(toRoot, 'data', 'database.sqlite'), toRoot },
    entries: () => readdirSync(join(toRoot, 'data')).toSorted(),
    [Symbol.dispose]: () => {
      if (database.isOpen) database.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function checked(path: string): {
  readonly integrity: unknown
  readonly odd: unknown
  readonly rows: number
} {
  using copy = new DatabaseSync(path)
  const value = (sql: string): unknown => Object.values(copy.prepare(sql).get() ?? {})[0]
  return {
    integrity: value('PRAGMA integrity_check'),
    odd: value('SELECT count(*) FROM (SELECT pair FROM t GROUP BY pair HAVING count(*) <> 2)'),
    rows: Number(value('SELECT count(*) FROM t')),
  }
}

// Each transaction adds a pair of rows: a copy of one moment has no odd one.
const WRITER = `
import { DatabaseSync } from 'node:sqlite'
const database = new DatabaseSync(process.argv[1], { timeout: 60000 })
database.exec('PRAGMA wal_autocheckpoint = 10')
const add = database.prepare('INSERT INTO t (pair, filler) VALUES (?, ?)')
for (let pair = 1; ; pair += 1) {
  database.exec('BEGIN IMMEDIATE')
  add.run(pair, 'x'.repeat(3000))
  add.run(pair, 'y'.repeat(3000))
  database.exec('COMMIT')
  if (pair === 1) process.stdout.write('writing')
}`

for (const journal of ['wal', 'delete'] as const)
  for (const [mode, clone] of [
    ['reflink', bytes],
    ['backup', none],
  ] as const)
    test(`copies while another process writes are of one moment: ${journal}, ${mode} [INS-065]`, async () => {
      using place = ground(journal)
      const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, '--', place.from], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      try {
        await once(writer.stdout, 'data')
        for (let time = 0; time < 8; time += 1) {
          const made = await copyDatabaseFile(place.request, clone)
          if (mode === 'backup') assert.equal(made, 'backup')
          const { integrity, odd, rows } = checked(place.request.to)
          assert.deepEqual({ integrity, odd }, { integrity: 'ok', odd: 0 })
          assert.ok(rows > 0)
        }
      } finally {
        writer.kill('SIGKILL')
        await once(writer, 'exit')
      }
    })

test('a copy has what was only in the log when the last user of the file ends while it is cloned [INS-065]', async () => {
  using place = ground('wal')
  place.database.exec("INSERT INTO t (pair, filler) VALUES (1, 'a'), (1, 'b')")
  let files = 0
  const ending: Clone = async (from, to) => {
    await bytes(from, to)
    if (from !== place.from) return
    files += 1
    // The first one only tries the file system. SQLite 3.40 ends like this where another process has lost its locks.
    if (files !== 2) return
    place.database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    for (const end of ['-wal', '-shm']) rmSync(`${from}${end}`)
  }
  assert.equal(await copyDatabaseFile(place.request, ending), 'reflink')
  assert.deepEqual(checked(place.request.to), { integrity: 'ok', odd: 0, rows: 2 })
})

test('what is only in the log is in the copy, over whatever was there, with the mode of the source [INS-065]', async () => {
  using place = ground('wal')
  place.database.exec("INSERT INTO t (pair, filler) VALUES (1, 'a'), (1, 'b')")
  chmodSync(place.from, 0o640)
  mkdirSync(join(place.toRoot, 'data'))
  for (const end of ['', '-wal', '-shm', '-journal', '.fleet-copy', '.fleet-copy-wal'])
    writeFileSync(`${place.request.to}${end}`, 'of an earlier attempt')
  assert.equal(await copyDatabaseFile(place.request, bytes), 'reflink')
  assert.deepEqual(place.entries(), ['database.sqlite', 'database.sqlite-wal'])
  assert.equal(statSync(place.request.to).mode & 0o777, 0o640)
  assert.equal(checked(place.request.to).rows, 2)
})

test('a writer that keeps the lock for 2 seconds, and a file system without block cloning, lead to the backup API [INS-065]', async () => {
  using place = ground('wal')
  place.database.exec("INSERT INTO t (pair, filler) VALUES (1, 'a'), (1, 'b')")
  assert.equal(await copyDatabaseFile(place.request, none), 'backup')
  place.database.exec("BEGIN IMMEDIATE; INSERT INTO t (pair, filler) VALUES (2, 'a')")
  assert.equal(await copyDatabaseFile(place.request, bytes), 'backup')
  place.database.exec('ROLLBACK')
  assert.equal(checked(place.request.to).rows, 2)
  assert.deepEqual(place.entries(), ['database.sqlite'])
})

for (const moment of ['before', 'after'] as const)
  test(`a copy that nobody waits for any more, and that is overtaken ${moment} its last page, neither spoils the later copy nor takes its place [INS-068]`, async () => {
    using place = ground('wal')
    place.database.exec("INSERT INTO t (pair, filler) VALUES (1, 'a'), (1, 'b')")
    const { promise: overtaken, resolve: overtake } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    let clones = 0
    const slow: Clone = async (from, to) => {
      clones += 1
      if (moment === 'after') await bytes(from, to)
      // The second one is under the lock, and the last.
      if (clones === (moment === 'before' ? 1 : 2)) {
        begin()
        await overtaken
      }
      if (moment === 'before') await bytes(from, to)
    }
    const earlier = copyDatabaseFile(place.request, slow, 1)
    await begun
    const later = copyDatabaseFile(
      place.request,
      async (from, to) => {
        await bytes(from, to)
        overtake()
        await earlier.catch(() => undefined)
      },
      2,
    )
    await later
    assert.equal(checked(place.request.to).rows, 2)
    await assert.rejects(earlier)
  })

test('a copy whose pages somebody has removed leaves what has its name', async () => {
  using place = ground('wal')
  await copyDatabaseFile(place.request, bytes)
  await assert.rejects(settle(`${place.request.to}.fleet-copy-1/database.sqlite`, place.request.to), {
    code: 'ENOENT',
  })
  assert.equal(checked(place.request.to).integrity, 'ok')
})

test('a file outside of the checkout, also behind a link, is not copied, nor anything out of the other one [INS-063]', async () => {
  using place = ground('delete')
  const away = join(place.request.fromRoot, '..', 'away.sqlite')
  writeFileSync(away, '')
  symlinkSync(away, join(place.request.fromRoot, 'link.sqlite'))
  for (const from of [away, join(place.request.fromRoot, 'link.sqlite')])
    await assert.rejects(copyDatabaseFile({ ...place.request, from }, bytes), { problem: 'outside' })
  await assert.rejects(copyDatabaseFile({ ...place.request, from: `${place.from}x` }, bytes), {
    problem: 'missing',
  })
  rmSync(join(place.toRoot, 'data'), { recursive: true, force: true })
  symlinkSync(place.request.fromRoot, join(place.toRoot, 'data'))
  await assert.rejects(copyDatabaseFile(place.request, bytes), { problem: 'outside' })
  assert.ok(existsSync(place.from))
})

test('a copy is removed with its log and with what an attempt left, and nothing is removed through a link', async () => {
  using place = ground('wal')
  await copyDatabaseFile(place.request, bytes)
  for (const end of ['-shm', '.fleet-copy', '.fleet-copy-wal']) writeFileSync(`${place.request.to}${end}`, '')
  await dropDatabaseFile(place.request)
  assert.deepEqual(place.entries(), [])
  rmSync(join(place.toRoot, 'data'), { recursive: true })
  await dropDatabaseFile(place.request)
  symlinkSync(place.request.fromRoot, join(place.toRoot, 'data'))
  await dropDatabaseFile(place.request)
  assert.ok(existsSync(place.from))
})
