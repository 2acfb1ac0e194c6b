import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { mysqlStatements } from '#/databases/servers/sql/mysql.ts'

const linesWith = (name: string | null, start: string): readonly string[] =>
  mysqlStatements
    .create({ database: 'shop_app', test: name, user: 'shop', password: new Secret('x') })
    .split('\n')
    .filter((line) => line.startsWith(start))

test('an owned database has a test database beside it, with all that begin with its name; another one has none [DBS-045, DBS-046]', () => {
  const create = (name: string): string => `CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb4;`
  const grant = (names: string): string => `GRANT ALL PRIVILEGES ON \`${names}\`.* TO 'shop'@'%';`
  assert.deepEqual(linesWith(null, 'CREATE'), [create('shop_app')])
  assert.deepEqual(linesWith('shop_app_test', 'CREATE'), [create('shop_app'), create('shop_app_test')])
  assert.deepEqual(linesWith(null, 'GRANT'), [grant('shop\\_app')])
  assert.deepEqual(linesWith('shop_app_test', 'GRANT'), [grant('shop\\_app'), grant('shop\\_app\\_test%')])
})
