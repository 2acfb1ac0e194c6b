import assert from 'node:assert/strict'
import { forEachDialect } from '@fleet/testing'
import { startManyWorld } from '#/databases/creations/many-world.test.ts'
import { slugOf } from '#/databases/creations/slug.ts'
import { namesOf } from '#/databases/servers/names.ts'

/** A store on a server takes four times the time of one in a file. */
const MANY = [
  ['sqlite', 200],
  ['postgres', 60],
] as const

/** Names as branches have them: short ones, long ones that differ in their ends alone, and pairs that differ in hyphens alone. */
function nameOf(at: number): string {
  switch (Math.floor(at / 2) % 3) {
    case 0:
      return `f${at}`
    case 1:
      return `the-basket-of-the-shop-keeps-what-visitors-have-put-in-${at}`
    default:
      return `fix${at % 2 === 0 ? '-' : '--'}${at - (at % 2)}`
  }
}

/** What an Instance has on the server. */
function expected(name: string, rows: string): readonly string[] {
  const { database, test, user } = namesOf('mysql', slugOf('shop', name), { project: 'shop', instance: name })
  const [own, tests] = [database, `${test}%`].map((each) => each.replaceAll('_', String.raw`\_`))
  return [`database ${database}: ${rows}`, `database ${test}: `, `user ${user}: ${own} ${tests}`]
}

for (const [only, count] of MANY)
  forEachDialect(
    `${count} Instances of a Project get a database each, created or cloned, and lose it, all at once: no name is taken twice and nothing stays [DB-031, DBS-041, DBS-042, DBS-043, DBS-049, INS-063]`,
    [only],
    async (dialect) => {
      await using world = await startManyWorld(dialect)
      const { engine } = world
      await world.create('default', { database_server: 'main' })
      engine.databases.set('shop_default', 'rows of default')
      const before = { onServer: engine.holds(), records: await world.records() }
      assert.deepEqual(before.onServer, expected('default', 'rows of default'))
      /** Two of three are copies. Every other one is removed while others are still made. */
      const lives = await Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const name = nameOf(at)
          const isCopy = at % 3 !== 0
          const { id } = await world.create(name, isCopy ? {} : { database_server: 'main' })
          if (at % 4 < 2) return { id, name, rows: isCopy ? 'rows of default' : '' }
          await world.destroy(id)
          return undefined
        }),
      )
      const living = lives.filter((life) => life !== undefined)
      assert.equal(living.length, count / 2)
      const slugs = ['shop-default', ...living.map(({ name }) => slugOf('shop', name))].toSorted()
      assert.deepEqual(await world.records(), {
        instances: ['default', ...living.map(({ name }) => name)].toSorted(),
        databases: slugs,
        attached: slugs,
        residues: 0,
        locks: 0,
      })
      assert.deepEqual(
        engine.holds(),
        [...before.onServer, ...living.flatMap(({ name, rows }) => expected(name, rows))].toSorted(),
      )
      await Promise.all(living.map(({ id }) => world.destroy(id)))
      assert.deepEqual({ onServer: engine.holds(), records: await world.records() }, before)
    },
  )
