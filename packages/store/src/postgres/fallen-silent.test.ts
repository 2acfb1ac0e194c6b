import assert from 'node:assert/strict'
import { forEachDialect, makeTestDatabase, openTestStore } from '@fleet/testing'
import { sql } from 'kysely'
import { openPostgres } from './open.ts'

/** Two gateways on one database, with a row that both change. */
async function openTwo(milliseconds: number) {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await makeTestDatabase('postgres'))
  assert.ok('url' in database.location)
  const { url } = database.location
  stack.use(await openTestStore({ database }))
  const open = () => stack.use(openPostgres(url, [], () => milliseconds))
  const [silent, other, unlimited] = [open(), open(), stack.use(openPostgres(url, []))]
  await unlimited.insertInto('facts').values({ name: 'row', value: 'before' }).execute()
  const owned = stack.move()
  const valueNow = async () => {
    const row = unlimited.selectFrom('facts').select('value').where('name', '=', 'row')
    return (await row.executeTakeFirstOrThrow()).value
  }
  return { silent, other, valueNow, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const write = (value: string) => sql`update facts set value = ${value} where name = 'row'`

forEachDialect('a write that was answered as failed is not carried out later', ['postgres'], async () => {
  await using two = await openTwo(5000)
  await two.silent.transaction().execute(async (holder) => {
    await write('of the holder').execute(holder)
    await assert.rejects(write('of the other').execute(two.other), /statement timeout/)
  })
  assert.equal(await two.valueNow(), 'of the holder')
})

forEachDialect(
  'a gateway that falls silent within a transaction holds its rows no longer than the limit',
  ['postgres'],
  async () => {
    await using two = await openTwo(5000)
    const { promise: held, resolve: hold } = Promise.withResolvers<void>()
    const { promise: gate, resolve: wake } = Promise.withResolvers<void>()
    const silent = two.silent.transaction().execute(async (holder) => {
      await write('of the silent one').execute(holder)
      hold()
      await gate
      await write('of the silent one').execute(holder)
    })
    const lost = assert.rejects(silent)
    await Promise.race([held, lost])
    while ((await two.valueNow()) === 'before')
      await write('of the other')
        .execute(two.other)
        .catch(() => undefined)
    assert.equal(await two.valueNow(), 'of the other')
    wake()
    await lost
    assert.equal(await two.valueNow(), 'of the other')
  },
)
