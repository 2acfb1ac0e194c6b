import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { addNode, forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { pruneReleases, releasesIn } from './prune.ts'
import {
  pruneSnapshots,
  requireRestorable,
  restoreDatabase,
  snapshotDatabase,
  snapshotEnding,
  snapshotFolder,
} from './snapshot.ts'

function home(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'fleet-home-'))
  context.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const namesIn = (file: string): unknown[] => {
  using database = new DatabaseSync(file)
  return database
    .prepare('select name from facts order by name')
    .all()
    .map(({ name }) => name)
}

test('a snapshot holds what was committed, its log included, and a restoration brings exactly that back', async (context) => {
  const place = home(context)
  const file = join(place, 'gateway.sqlite')
  {
    using database = new DatabaseSync(file)
    database.exec(
      "pragma journal_mode = wal; create table facts (name text); insert into facts values ('kept')",
    )
    const target = join(snapshotFolder(place), 'one.sqlite')
    await snapshotDatabase({ home: place, url: undefined }, target)
    assert.deepEqual(namesIn(target), ['kept'])
    assert.equal(statSync(target).mode & 0o777, 0o600)
    database.exec("insert into facts values ('later')")
  }
  // What a killed process leaves: a log that belongs to the database that goes.
  writeFileSync(`${file}-wal`, 'a log of somebody else')
  await restoreDatabase({ home: place, url: undefined }, join(place, 'snapshots/one.sqlite'))
  assert.equal(existsSync(`${file}-wal`), false)
  assert.deepEqual(namesIn(file), ['kept'])
})

test('an upgrade goes on only with room for the way back, which a file system that shares blocks always has', async (context) => {
  const records = { home: home(context), url: undefined }
  const snapshot = join(records.home, 'one.sqlite')
  writeFileSync(snapshot, 'some records')
  const disk = (free: number, shares = false) => ({
    freeBytes: async () => free,
    sharesBlocks: async () => shares,
  })
  await requireRestorable(records, snapshot, disk(12))
  await requireRestorable(records, snapshot, disk(0, true))
  await requireRestorable(records, snapshot)
  assert.deepEqual(readdirSync(records.home), ['one.sqlite'])
  await assert.rejects(requireRestorable(records, snapshot, disk(11)), {
    message: `${records.home} has 11 bytes free, but to restore the records from their snapshot takes 12`,
  })
  assert.deepEqual(readdirSync(records.home), [])
})

test('a restoration that cannot copy the snapshot leaves the records and nothing beside them', async (context) => {
  const place = home(context)
  writeFileSync(join(place, 'gateway.sqlite'), 'the records')
  writeFileSync(join(place, 'gateway.sqlite.restoring'), 'cut off')
  await assert.rejects(restoreDatabase({ home: place, url: undefined }, join(place, 'gone')), {
    code: 'ENOENT',
  })
  assert.deepEqual(readdirSync(place), ['gateway.sqlite'])
})

test('the newest snapshots stay [SET-003]', (context) => {
  const place = home(context)
  const folder = snapshotFolder(place)
  for (const name of ['20260103T000000Z-c', '20260101T000000Z-a', '20260102T000000Z-b'])
    writeFileSync(join(folder, `${name}.sqlite`), '')
  pruneSnapshots(place, 2, null)
  assert.deepEqual(readdirSync(folder).toSorted(), ['20260102T000000Z-b.sqlite', '20260103T000000Z-c.sqlite'])
})

test('the snapshot of an upgrade outlives it also where the clock was set back since earlier ones [SET-003]', (context) => {
  const place = home(context)
  const folder = snapshotFolder(place)
  const own = join(folder, '20260101T000000Z-own.sqlite')
  for (const name of ['20270101T000000Z-a', '20270102T000000Z-b', '20260101T000000Z-own'])
    writeFileSync(join(folder, `${name}.sqlite`), '')
  pruneSnapshots(place, 2, own)
  assert.deepEqual(readdirSync(folder).toSorted(), [
    '20260101T000000Z-own.sqlite',
    '20270102T000000Z-b.sqlite',
  ])
  pruneSnapshots(place, 1, own)
  assert.deepEqual(readdirSync(folder), ['20260101T000000Z-own.sqlite'])
  pruneSnapshots(place, 1, join(folder, 'gone.sqlite'))
  assert.deepEqual(readdirSync(folder), ['20260101T000000Z-own.sqlite'])
})

test('the newest releases stay, the running one and the one before it in any case, unfinished copies never [SET-002]', (context) => {
  const folder = home(context)
  for (const [index, name] of ['old', 'before', 'running', 'new', '.copying-x'].entries()) {
    mkdirSync(join(folder, name))
    utimesSync(join(folder, name), 1000 + index, 1000 + index)
  }
  assert.deepEqual(releasesIn(folder), ['before', 'new', 'old', 'running'])
  pruneReleases(folder, 3, new Set(['running', 'before']))
  assert.deepEqual(readdirSync(folder).toSorted(), ['before', 'new', 'running'])
  pruneReleases(folder, 2, new Set(['running', 'before']))
  assert.deepEqual(readdirSync(folder).toSorted(), ['before', 'running'])
})

forEachDialect(
  'the records of PostgreSQL go into a file for their owner alone, and come back from it',
  ['postgres'],
  async () => {
    await using database = await makeTestDatabase('postgres', 'empty')
    assert.ok('url' in database.location)
    const folder = mkdtempSync(join(tmpdir(), 'fleet-home-'))
    try {
      const records = { home: folder, url: database.location.url }
      const target = join(folder, `one${snapshotEnding(records)}`)
      {
        await using store = await openTestStore({ database })
        await addNode(store, { name: 'kept' })
        await snapshotDatabase(records, target)
        await addNode(store, { name: 'later' })
      }
      assert.equal(statSync(target).mode & 0o777, 0o600)
      assert.deepEqual(readdirSync(folder), ['one.records'])
      await requireRestorable(records, target)
      await restoreDatabase(records, target)
      await using store = await openTestStore({ database })
      const nodes = await store.db.selectFrom('nodes').select('name').execute()
      assert.deepEqual(nodes, [{ name: 'kept' }])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

forEachDialect(
  'a snapshot that could not take the place of the records is told before an upgrade changes anything',
  ['postgres'],
  async (_dialect, context) => {
    await using database = await makeTestDatabase('postgres', 'empty')
    assert.ok('url' in database.location)
    const records = { home: home(context), url: database.location.url }
    const target = join(records.home, 'one.records')
    {
      await using store = await openTestStore({ database })
      await store.db.schema.createTable('mine').addColumn('id', 'integer').execute()
    }
    await snapshotDatabase(records, target)
    await assert.rejects(requireRestorable(records, target), {
      message:
        'the records could not be restored from their snapshot: the table mine is none of the gateway; move it to another schema',
    })
  },
)
