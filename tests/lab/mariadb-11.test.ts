import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { testSeed } from '@fleet/testing/sample'
import { provesValues } from '../databases/documented-values.ts'
import {
  provesMariadbAccounts,
  provesMariadbPasswords,
  provesMariadbRights,
  provesMariadbVerifiers,
} from '../databases/mariadb-logins.ts'
import { startMariadbTree } from '../databases/mariadb-world.ts'
import { provesConnectionLimit } from '../databases/mysql-logins.ts'
import {
  ENDLESS_OF_MARIADB,
  provesEndsAlone,
  provesGigabyte,
  withEndless,
} from '../databases/mysql-results.ts'
import { parts, provesAnswers, provesRefusals, provesShuffled } from '../databases/run-corpus.ts'
import { serverProofs } from '../databases/server-proofs.ts'
import type { ServerWorld } from '../databases/server-world.ts'
import { testSpares } from '../databases/spare-tests.ts'
import { serverTree } from './server-tree.ts'

const { path: tree, missing } = await serverTree('mariadb-11')
const STATUS = 'information_schema.session_status'

describe('MariaDB 11', { skip: missing ?? false }, () => {
  let world: ServerWorld
  before(async () => {
    world = await startMariadbTree(tree)
  })
  after(() => world[Symbol.asyncDispose]())
  const proves = serverProofs(() => world, STATUS)

  test('it is the server that is meant', async () => {
    const [row] = await proves.rows('select version() as version')
    assert.match(JSON.stringify(row), /"11\.8\.\d+-MariaDB/)
  })

  for (const part of parts) {
    test(`every trick of the corpora is refused by its code and leaves the server as it was: part ${part + 1}`, () =>
      provesRefusals('mariadb-11', world, part))
    test(`every honest read of the corpora answers: part ${part + 1}`, () =>
      provesAnswers('mariadb-11', world, part))
  }
  test('tricks and reads of parallel callers in any order end as alone', () =>
    provesShuffled('mariadb-11', world, testSeed()))

  test('a value of each type is answered as the guide says', async () => {
    const { admin } = world
    // Zero dates are kept by servers that once allowed them.
    await admin.query("set names utf8mb4, @mode = @@sql_mode, sql_mode = '', time_zone = '+00:00'")
    const headings = ['MySQL and MariaDB', 'MariaDB alone', 'MariaDB 11.8 and newer']
    await provesValues(headings, world, (sql) => admin.query(sql))
    await admin.query('drop table documented')
    await admin.query('set sql_mode = @mode')
  })

  test('a column may have the name of a private property', () => proves.privateNames())
  test('values come back as JSON can hold them', () => proves.values())
  test('a result has at most 500 rows and says whether there are more [DB-054] [DB-055] [LIM-009]', () =>
    proves.rowLimit())
  test('a cell of 12 MiB is cut', () => proves.cellIsCut())
  test('a cell of 1 GiB is cut, and takes little memory', () => provesGigabyte(world))
  test('the stored password is replaced in every encoding that the server prints for free [DB-057]', () =>
    proves.passwordIsReplaced())
  test('what the server stores for the password is replaced wherever it prints it [DB-057]', () =>
    provesMariadbVerifiers(proves.rows))

  test('a write runs with its flag and answers the count of rows [DB-056]', () => proves.writes())
  test('a statement that runs for ever is ended at the server, in every form of a read', () =>
    withEndless(world, async () => {
      for (const sql of ENDLESS_OF_MARIADB) await proves.endsInTime(sql)
    }))
  test('it is ended there also when nobody reaches the server any more', () =>
    withEndless(world, async () => {
      for (const sql of ENDLESS_OF_MARIADB) await provesEndsAlone(world, sql)
    }))
  test('a statement whose caller goes away is killed', () => proves.endsWithItsCaller())

  test('an error has the name that MariaDB has for it', async () => {
    for (const [sql, condition, more] of [
      ['select * from t for system_time all', 'ER_VERS_NOT_VERSIONED', {}],
      ["select vec_distance(x'0000803f', x'0000803f')", 'ER_VEC_DISTANCE_TYPE', {}],
      ['select nothing from t', 'ER_BAD_FIELD_ERROR', { subject: 'nothing' }],
    ] as const)
      await assert.rejects(
        world.databases.query(world.target, { sql, write: false }),
        { details: { reason: 'statement', condition, ...more } },
        sql,
      )
  })

  test('tables and columns are described', () => proves.tables('int(11)'))
  test('a login that the server refuses is one', () => proves.refusedLogin())
  test('TLS is used where it is offered, and required and verified where the connection says so', () =>
    proves.tls())
  test('accounts log in with and without TLS', () => provesMariadbPasswords(world))
  test('an account that may not log in is told why', () => provesMariadbAccounts(world))
  test('no more callers than an account may have connections are answered at once', () =>
    provesConnectionLimit(world))
  test('a login that may read some tables alone reads those, and no others', () => provesMariadbRights(world))
})

testSpares({
  product: 'MariaDB 11',
  missing,
  start: () => startMariadbTree(tree),
  readOnly: '@@transaction_read_only',
  isolation: '@@transaction_isolation',
  sessionStatus: STATUS,
})
