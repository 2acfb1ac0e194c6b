import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from './documented-values.ts'
import { provesHiddenRelations } from './hidden-relations.ts'
import { provesMariadbVerifiers } from './mariadb-logins.ts'
import { missingMariadb, startMariadbWorld } from './mariadb-world.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from './run-corpus.ts'
import { serverProofs } from './server-proofs.ts'
import type { ServerWorld } from './server-world.ts'

describe('MariaDB', { skip: missingMariadb() ?? false }, () => {
  let world: ServerWorld
  before(async () => {
    world = await startMariadbWorld()
  })
  after(() => world[Symbol.asyncDispose]())
  const proves = serverProofs(() => world, 'information_schema.session_status')

  for (const part of parts) {
    test(`every trick of the corpus is refused by its code and leaves the server as it was: part ${part + 1}`, () =>
      provesRefusals('mariadb', world, part))
    test(`every honest read of the corpus answers: part ${part + 1}`, () =>
      provesAnswers('mariadb', world, part))
  }
  test('tricks and reads of parallel callers in any order end as alone', () =>
    provesShuffled('mariadb', world, testSeed()))

  test('a value of each type is answered as the guide says', async () => {
    const { admin } = world
    // Zero dates are kept by servers that once allowed them.
    await admin.query("set names utf8mb4, @mode = @@sql_mode, sql_mode = '', time_zone = '+00:00'")
    await provesValues(['MySQL and MariaDB', 'MariaDB alone'], world, (sql) => admin.query(sql))
    await admin.query('drop table documented')
    await admin.query('set sql_mode = @mode')
  })

  test('a column may have the name of a private property', () => proves.privateNames())
  test('values come back as JSON can hold them', () => proves.values())
  test('a result has at most 500 rows and says whether there are more [DB-054] [DB-055] [LIM-009]', () =>
    proves.rowLimit())
  test('the stored password is replaced in every encoding that the server prints for free [DB-057]', () =>
    proves.passwordIsReplaced())

  test('what the server stores for the password is replaced wherever it prints it [DB-057]', () =>
    provesMariadbVerifiers(proves.rows))

  test('a plan is the one that the statement has without the limit of a result', async () => {
    const { admin, databases, target } = world
    await admin.query('create table planned (id int primary key) select seq as id from seq_1_to_20000')
    await admin.query('analyze table planned')
    const ask = async (sql: string) =>
      Object.values((await databases.query(target, { sql, write: false })).rows[0] ?? {})
    const plan = await ask('explain select * from planned where id > 10 order by id')
    assert.ok(
      plan.some((cell) => Number(cell) > 5000),
      JSON.stringify(plan),
    )
    const analyzed = await ask('analyze select * from planned')
    assert.ok(
      analyzed.some((cell) => Number(cell) === 20_000),
      JSON.stringify(analyzed),
    )
    assert.deepEqual(
      (await databases.query(target, { sql: 'select * from planned', write: false })).truncated,
      true,
    )
    await admin.query('drop table planned')
  })
  test('a cell of 12 MiB is cut', () => proves.cellIsCut())
  test('a write runs with its flag and answers the count of rows [DB-056]', () => proves.writes())
  test('a write is kept at a server that commits nothing by itself [DB-056]', () => proves.commits())
  test('a write counts the rows of RETURNING, also those that a result has no room for [DB-056]', async () => {
    const ask = (sql: string) => world.databases.query(world.target, { sql, write: true })
    await ask('create table returned (id int)')
    const inserted = await ask('insert into returned select seq from seq_1_to_600 returning id')
    assert.deepEqual([inserted.rows.length, inserted.row_count, inserted.truncated], [500, 600, true])
    assert.equal((await ask('delete from returned where id < 4 returning id')).row_count, 3)
    await ask('drop table returned')
  })
  test('a statement that runs for ever is ended at the server too', () => proves.endsInTime())
  test('a statement whose caller goes away is killed', () => proves.endsWithItsCaller())
  test('an error has the name that MariaDB has for it', () =>
    assert.rejects(proves.rows('select * from t for system_time all'), {
      details: { reason: 'statement', condition: 'ER_VERS_NOT_VERSIONED' },
    }))
  test('tables and columns are described', () => proves.tables('int(11)'))
  test('a login that the server refuses is one', () => proves.refusedLogin())
  test('a view over a relation that the login may not see is no read', () => provesHiddenRelations(world))
  test('TLS is used where it is offered, and required and verified where the connection says so', () =>
    proves.tls())
})
