import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addGrant, addNode, forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { DumpRefused, dumpRecords, restoreRecords } from '#/index.ts'

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
