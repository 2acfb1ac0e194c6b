import assert from 'node:assert/strict'
import { type ServerTarget, type TlsRule } from '@fleet/database-access'
import { Secret } from '@fleet/kernel'
import { reached } from './reached.ts'
import type { ServerWorld } from './server-world.ts'

/** What accounts of MySQL do that those of MariaDB do not. */
export interface LoginProofs {
  storedIsReplaced(): Promise<void>
  endsAlone(): Promise<void>
  sha2(): Promise<void>
  accounts(): Promise<void>
  leastRights(): Promise<void>
}

const PLAIN: TlsRule = { mode: 'disable', host: 'db' }
const ONE = { sql: 'select 1 as a', write: false }

export function loginProofs(world: () => ServerWorld): LoginProofs {
  const as = (username: string, password: string, tls?: TlsRule): ServerTarget => ({
    ...world().target,
    username,
    password: new Secret(password),
    ...(tls === undefined ? {} : { tls }),
  })
  const ask = async (target: ServerTarget, sql = ONE.sql): Promise<readonly unknown[]> =>
    (await world().databases.query(target, { sql, write: false })).rows
  const refused = (target: ServerTarget, condition: string): Promise<void> =>
    assert.rejects(ask(target), {
      code: 'database.query_failed',
      details: { reason: 'login', condition },
    })
  const admin = (...statements: readonly string[]): Promise<unknown> =>
    statements.reduce<Promise<unknown>>(
      (before, sql) => before.then(() => world().admin.query(sql)),
      Promise.resolve(),
    )
  return {
    storedIsReplaced: async () => {
      const stored = await world().admin.query(
        "select authentication_string as a from mysql.user where user = 'root'",
      )
      const text = String(Object(Array.isArray(stored[0]) ? stored[0][0] : undefined)['a'])
      const digest = text.slice(-43)
      assert.match(text, /^\$A\$005\$/)
      for (const sql of [
        'show create user root@localhost',
        "select user, authentication_string from mysql.user where user = 'root'",
        "select concat('a ', authentication_string, ' b') as x from mysql.user where user = 'root'",
        "select cast(authentication_string as binary) as x from mysql.user where user = 'root'",
      ]) {
        const printed = JSON.stringify(await ask(world().target, sql))
        assert.ok(!printed.includes(digest), `${sql} prints it`)
        assert.ok(
          !printed.includes(Buffer.from(text).toString('base64').slice(40, -4)),
          `${sql} prints its bytes`,
        )
      }
    },
    endsAlone: () => provesLimits(world()),
    sha2: async () => {
      const passwords = ['short', 'it\'s \\ "a" `b` é😀 $ %', 'x'.repeat(200)]
      for (const password of passwords)
        for (const tls of [PLAIN, undefined]) {
          await admin('drop user if exists hashed@localhost')
          await world().admin.query('create user hashed@localhost identified by ?', [password])
          // Not known yet, then known.
          for (const _time of ['first', 'again'])
            assert.deepEqual(await ask(as('hashed', password, tls)), [{ a: 1 }])
          await admin('flush privileges')
          assert.deepEqual(await ask(as('hashed', password, tls)), [{ a: 1 }])
          for (const wrong of [`${password}x`, 'short!', ''])
            await refused(as('hashed', wrong, tls), 'ER_ACCESS_DENIED_ERROR')
        }
      await admin('drop user hashed@localhost')
    },
    accounts: async () => {
      await admin(
        "create user tied@localhost identified by 'tied' require ssl",
        "create user certified@localhost identified by 'certified' require x509",
        "create user locked@localhost identified by 'locked' account lock",
        "create user expired@localhost identified by 'expired' password expire",
        "create user few@localhost identified by 'few' with max_user_connections 1",
        'create user closed@localhost identified with mysql_no_login',
        "create user dual@localhost identified by 'first'",
        "alter user dual@localhost identified by 'second' retain current password",
        "create user empty@localhost identified by ''",
      ).catch(() => undefined)
      assert.deepEqual(await ask(as('tied', 'tied')), [{ a: 1 }])
      await refused(as('tied', 'tied', PLAIN), 'ER_ACCESS_DENIED_ERROR')
      await refused(as('certified', 'certified'), 'ER_ACCESS_DENIED_ERROR')
      await refused(as('locked', 'locked'), 'ER_ACCOUNT_HAS_BEEN_LOCKED')
      await refused(as('expired', 'expired'), 'ER_MUST_CHANGE_PASSWORD_LOGIN')
      for (const password of ['first', 'second'])
        assert.deepEqual(await ask(as('dual', password)), [{ a: 1 }])
    },
    leastRights: async () => {
      await admin(
        "create user reader@localhost identified by 'reader'",
        'grant select on corpus.t to reader@localhost',
        'grant select on corpus.v to reader@localhost',
        'grant execute on function corpus.f_ok to reader@localhost',
      )
      const reader = as('reader', 'reader')
      assert.equal((await ask(reader, 'select id from t limit 3')).length, 3)
      assert.deepEqual(await world().databases.tables(reader), ['t', 'v'])
      await assert.rejects(ask(reader, 'select * from u'), { code: 'database.query_failed' })
      await assert.rejects(ask(reader, 'select sleep(5)'), { code: 'database.write_required' })
      await assert.rejects(ask(reader, 'select * from v_lock'))
      await admin('drop user reader@localhost')
    },
  }
}

/** Statements whose client and gateway are gone: the limit of the server is the last resort. */
async function provesLimits({ databases, target, admin }: ServerWorld): Promise<void> {
  const running = async (): Promise<number> => {
    const [found] = await admin.query(
      "select id from information_schema.processlist where command = 'Query' and id <> connection_id() and user = 'root'",
    )
    return Array.isArray(found) ? found.length : -1
  }
  const endless = 'select count(*) from t a, t b, t c, t d'
  for (const sql of [endless, `explain analyze ${endless}`, `show variables where (${endless}) > 0`]) {
    let opened = 0
    const alone: ServerTarget = {
      ...target,
      open: (signal) => {
        opened += 1
        return opened === 1 ? target.open(signal) : Promise.reject(new Error('nobody gets there'))
      },
    }
    const work = databases.query(alone, { sql, write: false }, { timeoutMilliseconds: 2000 })
    await assert.rejects(work, { details: { reason: 'time' } })
    assert.equal(await reached(running, 0), 0, sql)
  }
}
