import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseSchemaData, databaseTableData, databaseTableList } from '@fleet/contract'
import { register, startInspectionWorld } from '#/databases/inspection-world.test.ts'

const COLUMN = { name: 'id', type: 'integer', nullable: false, default: null, primary: true }
const TABLES = [
  { name: 'orders', columns: [COLUMN] },
  { name: 'users', columns: [COLUMN, { ...COLUMN, name: 'mail', default: "''", primary: false }] },
]

test('tables, schema and one table are answered with slug and driver [DBS-009, DBS-010, DBS-011]', async () => {
  await using world = await startInspectionWorld()
  const { handlers } = world.databases
  const slug = await register(world, 'mysql')
  const named = { slug, driver: 'mysql' }
  world.access.setTables(TABLES)
  const call = world.call()
  const tables = await handlers['database:tables']({ call, input: { slug } })
  assert.deepEqual(tables.data, { ...named, tables: ['orders', 'users'] })
  const schema = await handlers['database:schema']({ call, input: { slug } })
  assert.deepEqual(schema.data, { ...named, tables: TABLES })
  const one = await handlers['database:describe']({ call, input: { slug, table: 'users' } })
  assert.deepEqual(one.data, { ...named, table: 'users', columns: TABLES[1]?.columns })
  assert.deepEqual(databaseTableList.parse(tables.data), tables.data)
  assert.deepEqual(databaseSchemaData.parse(schema.data), schema.data)
  assert.deepEqual(databaseTableData.parse(one.data), one.data)
  assert.deepEqual(call.events, [])
})

test('an unknown table is refused', async () => {
  await using world = await startInspectionWorld()
  const slug = await register(world, 'pgsql')
  const asked = world.databases.handlers['database:describe']({
    call: world.call(),
    input: { slug, table: 'nope' },
  })
  await assert.rejects(asked, { code: 'database.table_missing', status: 404 })
})
