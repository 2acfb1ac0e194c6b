import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemIds } from '@fleet/kernel'
import {
  addGrant,
  addNode,
  forEachDialect,
  makeTestDatabase,
  openTestStore,
  TEST_APP_KEY,
} from '@fleet/testing'
import { Client } from 'pg'
import {
  DumpRefused,
  dumpRecords,
  findRecords,
  makeCipher,
  MigrationFailed,
  newAppKey,
  RecordsInTheWay,
  RecordsInUse,
  restoreInto,
  restoreRecords,
  tryRestore,
} from '#/index.ts'

const linesOf = (url: string): Promise<string[]> => Array.fromAsync(dumpRecords(url))
async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

/** A database of PostgreSQL that is gone after the test. */
async function database() {
  const made = await makeTestDatabase('postgres', 'empty')
  assert.ok('url' in made.location)
  return { made, url: made.location.url, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() }
}

/** Three Nodes of which the last is gone, a grant, and texts that are hard to keep. */
async function fill(url: string, made: Awaited<ReturnType<typeof makeTestDatabase>>): Promise<void> {
  assert.ok(url)
  await using store = await openTestStore({ database: made })
  const [first, second] = [
    await addNode(store, { name: 'first', failed_step: 'a "quoted" \\ line\n and é' }),
    await addNode(store, { name: 'second' }),
  ]
  await addGrant(store, first, second)
  const { id } = await addNode(store, { name: 'third' })
  await store.db.deleteFrom('nodes').where('id', '=', id).execute()
}

forEachDialect('records come back whole, and no identity is given again', ['postgres'], async () => {
  await using from = await database()
  await using to = await database()
  await fill(from.url, from.made)
  const dump = await linesOf(from.url)
  await restoreRecords(to.url, each(dump))
  assert.deepEqual(await linesOf(to.url), dump)
  await using store = await openTestStore({ database: to.made })
  assert.equal((await addNode(store, { name: 'fourth' })).id, 4)
  assert.equal((await store.db.selectFrom('node_grants').selectAll().execute()).length, 1)
})

forEachDialect(
  'what the database held before is gone, and a rollback brings an older state back',
  ['postgres'],
  async () => {
    await using one = await database()
    await fill(one.url, one.made)
    const dump = await linesOf(one.url)
    {
      await using store = await openTestStore({ database: one.made })
      await addNode(store, { name: 'later' })
    }
    await restoreRecords(one.url, each(dump))
    assert.deepEqual(await linesOf(one.url), dump)
  },
)

forEachDialect(
  'views, tables of another schema and tables of an extension are no records, and stand in the way of none',
  ['postgres'],
  async () => {
    await using one = await database()
    await using to = await database()
    await fill(one.url, one.made)
    const dump = await linesOf(one.url)
    await query(one.url, OF_OTHERS)
    assert.deepEqual(await linesOf(one.url), dump)
    await restoreRecords(one.url, each(dump))
    assert.deepEqual(await linesOf(one.url), dump)
    const kept = `select (select count(*) from other.nodes) + (select count(*) from of_extension) as count`
    assert.deepEqual(await query(one.url, kept), [{ count: '2' }])
    await query(to.url, OF_OTHERS.replace(VIEWS, ''))
    await restoreRecords(to.url, each(dump))
    assert.deepEqual(await linesOf(to.url), dump)
  },
)

forEachDialect(
  'a restoration waits for nobody who keeps the tables in a transaction: it ends and changes nothing',
  ['postgres'],
  async () => {
    await using one = await database()
    await fill(one.url, one.made)
    const dump = await linesOf(one.url)
    const reader = new Client(one.url)
    await reader.connect()
    try {
      await reader.query('begin; select from nodes')
      for (const restore of [tryRestore, restoreRecords])
        await assert.rejects(restore(one.url, each(dump), { lockSeconds: 0.05 }), RecordsInUse)
    } finally {
      await reader.end()
    }
    assert.deepEqual(await linesOf(one.url), dump)
    await tryRestore(one.url, each(dump), { lockSeconds: 0.05 })
  },
)

forEachDialect(
  'a schema that has come before that of the records makes neither an empty dump nor an empty fleet',
  ['postgres'],
  async () => {
    await using one = await database()
    await fill(one.url, one.made)
    const dump = await linesOf(one.url)
    const hidden = {
      name: MigrationFailed.name,
      message:
        /^the records are in the schema public of the database, and the schema \S+ has come before it in the search path: run ALTER ROLE \S+ SET search_path = public in it$/,
    }
    // The search path of every role begins with a schema of its name.
    await query(one.url, 'create schema authorization current_user')
    await assert.rejects(linesOf(one.url), hidden)
    await assert.rejects(restoreRecords(one.url, each(dump)), hidden)
    await query(one.url, `delete from kysely_migration where name like '0039-%'`)
    await assert.rejects(openTestStore({ database: one.made }), hidden)
    await query(one.url, 'drop schema "$user"'.replace('$user', new URL(one.url).username))
    await query(one.url, `insert into kysely_migration values ('0039-deployments-that-run', '')`)
    assert.deepEqual(await linesOf(one.url), dump)
  },
)

forEachDialect(
  'a restoration that is only tried changes nothing, and refuses a table that it would take away for good',
  ['postgres'],
  async () => {
    await using one = await database()
    await using to = await database()
    await fill(one.url, one.made)
    const dump = await linesOf(one.url)
    await query(one.url, `update nodes set name = 'later' where name = 'second'`)
    const later = await linesOf(one.url)
    await tryRestore(one.url, each(dump))
    await assert.rejects(tryRestore(one.url, each(dump.slice(0, -1))), DumpRefused)
    assert.deepEqual(await linesOf(one.url), later)
    await query(one.url, 'create table mine (id integer); insert into mine values (1)')
    const withMine = await linesOf(one.url)
    await assert.rejects(tryRestore(one.url, each(withMine)), {
      message: 'the table mine is none of the gateway; move it to another schema',
    })
    assert.deepEqual(await linesOf(one.url), withMine)
    await restoreRecords(to.url, each(withMine))
    assert.deepEqual(await linesOf(to.url), later)
  },
)

/** Of the server's own monitoring, and of a person who looks at the records. */
const VIEWS = `
  create view of_nodes as select name from nodes;
  create materialized view of_grants as select count(*) from node_grants;`
const OF_OTHERS = `${VIEWS}
  create extension pg_stat_statements;
  create schema other;
  create table other.nodes (id integer);
  insert into other.nodes values (1);
  create table other.kysely_migration (name text);
  create table of_extension (id integer);
  insert into of_extension values (1);
  alter extension plpgsql add table of_extension;`

/** What an operator asks of the database. */
async function query(url: string, text: string): Promise<unknown> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

forEachDialect(
  "a restoration replaces its own records and nobody else's, and they are known by their key and their version",
  ['postgres'],
  async () => {
    await using one = await database()
    await using to = await database()
    await fill(one.url, one.made)
    const dump = await linesOf(one.url)
    const own = makeCipher(TEST_APP_KEY, systemIds)
    assert.equal(await findRecords(to.url, own), undefined)
    await assert.rejects(restoreInto(one.url, each(dump), 'first'), RecordsInTheWay)
    assert.deepEqual(await linesOf(one.url), dump)
    const held = { isOfKey: true, isReadable: true, restoration: undefined }
    assert.deepEqual(await findRecords(one.url, own), held)
    for (const _again of [1, 2]) await restoreInto(to.url, each(dump), 'first')
    const restored = await linesOf(to.url)
    await assert.rejects(restoreInto(to.url, each(dump), 'second'), RecordsInTheWay)
    assert.deepEqual(await linesOf(to.url), restored)
    assert.deepEqual(await findRecords(to.url, own), { ...held, restoration: 'first' })
    const other = makeCipher(newAppKey(), systemIds)
    assert.equal((await findRecords(to.url, other))?.isOfKey, false)
    await query(to.url, "insert into kysely_migration (name, timestamp) values ('9999-later', '')")
    assert.equal((await findRecords(to.url, own))?.isReadable, false)
  },
)

forEachDialect('a dump that is cut, damaged or newer changes nothing', ['postgres'], async () => {
  await using one = await database()
  await fill(one.url, one.made)
  const dump = await linesOf(one.url)
  const newer = JSON.stringify({ product: 'fleet-records', format: 1, migrations: ['9999-later'] })
  for (const broken of [
    [],
    dump.slice(0, -1),
    dump.toSpliced(
      dump.findLastIndex((line) => line.startsWith('[')),
      1,
    ),
    dump.with(3, '{'),
    dump.with(0, newer),
    dump.with(0, 'x'),
  ])
    await assert.rejects(restoreRecords(one.url, each(broken)), DumpRefused)
  assert.deepEqual(await linesOf(one.url), dump)
})

forEachDialect(
  'rows of one moment: what is written while they are read is left out',
  ['postgres'],
  async () => {
    await using one = await database()
    await fill(one.url, one.made)
    const before = await linesOf(one.url)
    const during: string[] = []
    await using store = await openTestStore({ database: one.made })
    const opened = await linesOf(one.url)
    for await (const line of dumpRecords(one.url)) {
      if (during.length === 1) await addNode(store, { name: 'meanwhile' })
      during.push(line)
    }
    assert.deepEqual(during, opened)
    assert.equal(before.length, opened.length)
  },
)

test('a table and a row are distinguished from anything else', async () => {
  const { parseLine } = await import('./format.ts')
  assert.deepEqual(parseLine('[1,"a",null]'), [1, 'a', null])
  for (const line of ['{}', '[{}]', '"x"', '[true]']) assert.throws(() => parseLine(line), DumpRefused)
})
