import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from '../databases/documented-values.ts'
import { provesHiddenRelations } from '../databases/hidden-relations.ts'
import {
  provesAccounts,
  provesConnectionLimit,
  provesLeastRights,
  provesPasswords,
  provesStoredReplaced,
} from '../databases/mysql-logins.ts'
import { startMysqlWorld } from '../databases/mysql-world.ts'
import {
  ENDLESS,
  provesEndsAlone,
  provesGigabyte,
  provesTenMillionRows,
  UNTIMED,
  withEndless,
} from '../databases/mysql-results.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from '../databases/run-corpus.ts'
import { serverProofs } from '../databases/server-proofs.ts'
import type { ServerWorld } from '../databases/server-world.ts'
import { testSpares } from '../databases/spare-tests.ts'
import { serverTree } from './server-tree.ts'

const { path: tree, missing } = await serverTree('mysql-9')
const STATUS = 'performance_schema.session_status'

describe('MySQL 9', { skip: missing ?? false }, () => {
  let world: ServerWorld
  before(async () => {
    world = await startMysqlWorld(tree)
  })
  after(() => world[Symbol.asyncDispose]())
  const proves = serverProofs(() => world, STATUS)

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
  test('a view over a relation that the login may not see is no read', () => provesHiddenRelations(world))
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
  test('500 rows of ten millions take no more memory than 500 of thousands', () =>
    provesTenMillionRows(world))
  test('a cell of 12 MiB is cut', () => proves.cellIsCut())
  test('a cell of 1 GiB is cut, and takes little memory', () => provesGigabyte(world))
  test('the stored password is replaced in every encoding that the server prints for free [DB-057]', () =>
    proves.passwordIsReplaced())
  test('what the server stores for the password is replaced wherever it prints it [DB-057]', () =>
    provesStoredReplaced(world))

  test('a write runs with its flag and answers the count of rows [DB-056]', () => proves.writes())
  test('a write is kept at a server that commits nothing by itself [DB-056]', () => proves.commits())
  test('a statement that runs for ever is ended at the server, in every form of a read', () =>
    withEndless(world, async () => {
      for (const sql of ENDLESS) await proves.endsInTime(sql)
    }))
  test('it is ended there also when nobody reaches the server any more', () =>
    withEndless(world, async () => {
      for (const sql of ENDLESS) await provesEndsAlone(world, sql)
    }))
  test('what MySQL would not end at its time is no read', () =>
    withEndless(world, async () => {
      for (const sql of UNTIMED)
        await assert.rejects(
          world.databases.query(world.target, { sql, write: false }),
          { code: 'database.write_required' },
          sql,
        )
    }))
  test('a statement whose caller goes away is killed', () => proves.endsWithItsCaller())

  test('tables and columns are described', () => proves.tables('int'))
  test('a login that the server refuses is one', () => proves.refusedLogin())
  test('TLS is used where it is offered, and required and verified where the connection says so', () =>
    proves.tls())
  test('accounts log in with and without TLS, whether the server knows their password already or not', () =>
    provesPasswords(world))
  test('an account that may not log in is told why', () => provesAccounts(world))
  test('no more callers than an account may have connections are answered at once', () =>
    provesConnectionLimit(world))
  test('a login that may read some tables alone reads those, and no others', () => provesLeastRights(world))
})

testSpares({
  product: 'MySQL 9',
  missing,
  start: () => startMysqlWorld(tree),
  readOnly: '@@transaction_read_only',
  isolation: '@@transaction_isolation',
  sessionStatus: STATUS,
})
