import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from '../databases/documented-values.ts'
import { loginProofs } from '../databases/mysql-logins.ts'
import { startMysqlWorld } from '../databases/mysql-world.ts'
import { resultProofs } from '../databases/mysql-results.ts'
import { reached } from '../databases/reached.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from '../databases/run-corpus.ts'
import { serverProofs } from '../databases/server-proofs.ts'
import type { ServerWorld } from '../databases/server-world.ts'
import { testSpares } from '../databases/spare-tests.ts'
import { mysqlTree } from './mysql-tree.ts'

const { path: tree, missing } = await mysqlTree()
const STATUS = 'performance_schema.session_status'
const ENDLESS = 'select count(*) from t a, t b, t c, t d'

describe('MySQL 9', { skip: missing ?? false }, () => {
  let world: ServerWorld
  before(async () => {
    world = await startMysqlWorld(tree)
  })
  after(() => world[Symbol.asyncDispose]())
  const proves = serverProofs(() => world, STATUS)
  const logins = loginProofs(() => world)
  const results = resultProofs(() => world)

  test('it is the server that is meant', async () => {
    const [row] = await proves.rows('select version() as version')
    assert.match(JSON.stringify(row), /"9\.\d+\.\d+/)
  })

  for (const part of parts) {
    test(`every trick of the corpora is refused by its code and leaves the server as it was: part ${part + 1}`, () =>
      provesRefusals('mysql', world, part))
    test(`every honest read of the corpora answers: part ${part + 1}`, () =>
      provesAnswers('mysql', world, part))
  }
  test('tricks and reads of parallel callers in any order end as alone', () =>
    provesShuffled('mysql', world, testSeed()))

  test('a value of each type is answered as the guide says', async () => {
    const { admin } = world
    // Zero dates are kept by servers that once allowed them.
    await admin.query("set names utf8mb4, @mode = @@sql_mode, sql_mode = '', time_zone = '+00:00'")
    await provesValues(['MySQL and MariaDB', 'MySQL alone'], world, (sql) => admin.query(sql))
    await admin.query('drop table documented')
    await admin.query('set sql_mode = @mode')
  })

  test('a column may have the name of a private property', () => proves.privateNames())
  test('values come back as JSON can hold them', () => proves.values())
  test('a result has at most 500 rows and says whether there are more [DB-054] [DB-055] [LIM-009]', () =>
    proves.rowLimit())
  test('500 rows of ten millions take no more memory than 500 of thousands', () => results.tenMillionRows())
  test('a cell of 12 MiB is cut', () => proves.cellIsCut())
  test('a cell of 1 GiB is cut, and takes little memory', () => results.gigabyte())
  test('the stored password is replaced in every encoding that the server prints for free [DB-057]', () =>
    proves.passwordIsReplaced())
  test('what the server stores for the password is replaced wherever it prints it [DB-057]', () =>
    logins.storedIsReplaced())

  test('a write runs with its flag and answers the count of rows [DB-056]', () => proves.writes())
  for (const sql of [
    ENDLESS,
    `with a as (${ENDLESS}) select * from a`,
    `select * from t where id in (${ENDLESS})`,
    `explain analyze ${ENDLESS}`,
    `explain analyze for schema corpus ${ENDLESS}`,
    `show variables where (${ENDLESS}) > 0`,
    `values row((${ENDLESS}))`,
    'select f_endless()',
    'table v_endless',
  ])
    test(`a statement that runs for ever is ended at the server too: ${sql}`, async () => {
      await world.admin.query(`create or replace view v_endless as ${ENDLESS}`)
      await world.admin.query('drop function if exists f_endless')
      await world.admin.query(`create function f_endless() returns int deterministic return (${ENDLESS})`)
      await proves.endsInTime(sql)
      await world.admin.query('drop function f_endless')
      await world.admin.query('drop view v_endless')
    })
  test('a statement whose caller goes away is killed', () => proves.endsWithItsCaller())
  test('a statement ends at its time at a server that nobody reaches any more', () => logins.endsAlone())

  test('tables and columns are described', () => proves.tables('int'))
  test('a login that the server refuses is one', () => proves.refusedLogin())
  test('TLS is used where it is offered, and required and verified where the connection says so', () =>
    proves.tls())
  test('caching_sha2_password logs in with and without TLS, known to the server or not', () => logins.sha2())
  test('accounts that are locked, expired, limited or bound to TLS answer with their condition', () =>
    logins.accounts())
  test('a login that may read some tables alone reads those, and no others', () => logins.leastRights())
})

testSpares({
  product: 'MySQL 9',
  missing,
  start: () => startMysqlWorld(tree),
  readOnly: '@@transaction_read_only',
  isolation: '@@transaction_isolation',
  sessionStatus: STATUS,
})
