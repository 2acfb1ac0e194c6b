import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseResult } from '@fleet/contract'
import { DatabaseFailure } from '@fleet/database-access'
import { addDatabase } from '@fleet/testing'
import {
  type InspectionWorld,
  PASSWORD,
  register,
  startInspectionWorld,
} from '#/databases/inspection-world.test.ts'

const RESULT = { columns: ['a'], rows: [{ a: 1 }], row_count: 1, truncated: false }

const query = async (
  world: InspectionWorld,
  slug: string,
  sql: string,
  write?: boolean,
  call = world.call(),
) => {
  const input = { slug, sql, ...(write === undefined ? {} : { write }) }
  return (await world.databases.handlers['database:query']({ call, input })).data
}

test('a statement answers what the engine answers, with slug, driver and mode [DB-045, DB-053, DBS-007]', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'pgsql')
  world.access.answer('select 1', RESULT)
  const call = world.call()
  const data = await query(world, slug, 'select 1', undefined, call)
  assert.deepEqual(data, { slug, driver: 'pgsql', write: false, ...RESULT })
  assert.deepEqual(databaseResult.parse(data), data)
  assert.equal((await query(world, slug, 'select 1', true)).write, true)
  assert.deepEqual(
    world.access.asked.map(({ statement }) => statement?.write),
    [false, true],
  )
  assert.deepEqual(call.notes, { target: null, properties: { write: false, row_count: 1 } })
  assert.deepEqual(call.events, [])
})

test('the engine gets the login of the record, and opens its streams over the network of the gateway [DB-072]', async () => {
  await using world = await startInspectionWorld()
  for (const driver of ['pgsql', 'mysql'] as const) {
    const slug = await register(world, driver)
    world.access.answer('select 1', RESULT)
    await query(world, slug, 'select 1')
    const target = world.access.asked.at(-1)?.target
    assert.ok(target && target.engine !== 'sqlite')
    const { engine, username, password, database } = target
    assert.deepEqual([engine, username, password.reveal(), database], [driver, 'reader', PASSWORD, 'shop'])
    const stream = await target.open(new AbortController().signal)
    stream.destroy()
  }
  assert.deepEqual(world.dialed, ['db.internal:5432', 'db.internal:3306'])
})

test('a file is read by a command of its Node whose standard input has everything [DB-065]', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'sqlite', { node_id: world.node.id })
  world.access.answer('select 1', RESULT)
  const call = world.call()
  await query(world, slug, 'select 1', undefined, call)
  assert.equal(call.notes.target, world.node.id)
  const target = world.access.asked.at(-1)?.target
  assert.ok(target?.engine === 'sqlite')
  assert.equal(target.path, '/srv/a.sqlite')
  world.pool.reply('node-sqlite', 'answered')
  assert.equal(await target.run('the input', new AbortController().signal), 'answered')
  const [asked = ''] = world.pool.asked
  assert.ok(asked.endsWith('fleet node-sqlite'), asked)
})

const failure = (code: ConstructorParameters<typeof DatabaseFailure>[0], cause?: unknown) =>
  new DatabaseFailure(code, 'Safe text.', { reason: 'refused', subject: 'pg_sleep' }, cause)

for (const [code, status] of [
  ['database.write_required', 422],
  ['database.sql_multiple_statements', 422],
  ['database.query_failed', 502],
] as const)
  test(`${code} of an engine has its text and its facts [DBS-013]`, async () => {
    await using world = await startInspectionWorld()
    const slug = await register(world, 'pgsql')
    world.access.failWith(failure(code))
    await assert.rejects(query(world, slug, 'x'), {
      code,
      status,
      message: 'Safe text.',
      details: { reason: 'refused', subject: 'pg_sleep' },
    })
  })

test('redis is never inspected, and a file only where a Node is named [DB-068, DB-069]', async () => {
  await using world = await startInspectionWorld()
  const { handlers } = world.databases
  for (const [driver, code] of [
    ['redis', 'database.driver_unsupported'],
    ['sqlite', 'database.sqlite_node_required'],
  ] as const) {
    const slug = await register(world, driver)
    const call = world.call()
    for (const asked of [
      handlers['database:query']({ call, input: { slug, sql: 'select 1' } }),
      handlers['database:tables']({ call, input: { slug } }),
      handlers['database:schema']({ call, input: { slug } }),
      handlers['database:describe']({ call, input: { slug, table: 'a' } }),
    ])
      await assert.rejects(asked, { code, status: 422 })
  }
  assert.deepEqual(world.access.asked, [])
})

test('a record that leads nowhere says why, and nothing is contacted [DB-067]', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'sqlite', { node_id: world.node.id })
  const { db } = world.store
  const failed = (reason: string) => ({
    code: 'database.query_failed',
    status: 502,
    details: { reason },
  })
  await db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', world.node.id).execute()
  await assert.rejects(query(world, slug, 'select 1'), failed('node_inactive'))
  await db
    .updateTable('nodes')
    .set({ status: 'active', wireguard_ip: null })
    .where('id', '=', world.node.id)
    .execute()
  await assert.rejects(query(world, slug, 'select 1'), failed('node_inactive'))
  await db.deleteFrom('nodes').where('id', '=', world.node.id).execute()
  await assert.rejects(query(world, slug, 'select 1'), failed('node_missing'))
  await addDatabase(world.store, { slug: 'unread', password: 'broken' })
  await assert.rejects(query(world, 'unread', 'select 1'), {
    ...failed('password_unreadable'),
    message: /: `fleet database:update unread --password`\.$/,
  })
  await addDatabase(world.store, { slug: 'lacking' })
  await assert.rejects(query(world, 'lacking', 'select 1'), failed('incomplete'))
  assert.deepEqual([world.access.asked, world.pool.asked, world.dialed], [[], [], []])
})

test('a statement whose time was over while its Node was reached is not run there later', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'sqlite', { node_id: world.node.id })
  world.access.answer('a', RESULT)
  await query(world, slug, 'a')
  const target = world.access.asked.at(-1)?.target
  assert.ok(target?.engine === 'sqlite')
  await assert.rejects(target.run('input', AbortSignal.abort()))
  assert.deepEqual(world.pool.asked, [])
})

test('a Node without the command, or one that does not answer, is named as the reason [DB-067]', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'sqlite', { node_id: world.node.id })
  const causeOf = async (): Promise<unknown> => {
    world.access.answer('a', RESULT)
    await query(world, slug, 'a')
    const target = world.access.asked.at(-1)?.target
    assert.ok(target?.engine === 'sqlite')
    return target.run('input', new AbortController().signal).catch((error: unknown) => error)
  }
  world.pool.reply('node-sqlite', { exitCode: 127 })
  world.access.failWith(undefined)
  const missing = await causeOf()
  world.access.failWith(
    new DatabaseFailure('database.query_failed', 'Safe text.', { reason: 'unreachable' }, missing),
  )
  await assert.rejects(query(world, slug, 'b'), {
    code: 'database.query_failed',
    message: /fleet node:converge NODE --force/,
    details: { reason: 'command_missing' },
  })
})
