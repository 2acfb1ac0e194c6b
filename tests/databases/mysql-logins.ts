import assert from 'node:assert/strict'
import type { ServerTarget, TlsRule } from '@fleet/database-access'
import { Secret } from '@fleet/kernel'
import type { ServerWorld } from './server-world.ts'

export const PLAIN: TlsRule = { mode: 'disable', host: 'db' }
export const ACCOUNT = "'account'@'localhost'"
export const PASSWORDS = ['short', 'it\'s \\ "a" `b` é😀 $ %', 'x'.repeat(200)]

/** Makes an account anew. */
export async function account({ admin }: ServerWorld, how: string, ...values: string[]): Promise<void> {
  await admin.query(`drop user if exists ${ACCOUNT}`)
  await admin.query(`create user ${ACCOUNT} ${how}`, values)
}

/** The account with a password, which may only log in. */
export const as = ({ target }: ServerWorld, password: string, tls?: TlsRule): ServerTarget => ({
  ...target,
  username: 'account',
  password: new Secret(password),
  database: 'information_schema',
  ...(tls === undefined ? {} : { tls }),
})

export const ask = async (
  { databases }: ServerWorld,
  target: ServerTarget,
  sql = 'select 1 as a',
): Promise<readonly unknown[]> => (await databases.query(target, { sql, write: false })).rows

export const refused = (world: ServerWorld, target: ServerTarget, condition: string): Promise<void> =>
  assert.rejects(ask(world, target), {
    code: 'database.query_failed',
    details: { reason: 'login', condition },
  })

/** An account of each plugin logs in with and without TLS, whether the server has seen its password since its start or not. */
export async function provesPasswords(world: ServerWorld): Promise<void> {
  for (const plugin of ['caching_sha2_password', 'sha256_password'])
    for (const password of PASSWORDS)
      for (const tls of [PLAIN, undefined]) {
        await account(world, `identified with ${plugin} by ?`, password)
        for (const time of ['unknown', 'known', 'unknown again']) {
          if (time === 'unknown again') await world.admin.query('flush privileges')
          assert.deepEqual(await ask(world, as(world, password, tls)), [{ a: 1 }], `${plugin} ${time}`)
        }
        for (const wrong of [`${password}x`, 'other', ''])
          await refused(world, as(world, wrong, tls), 'ER_ACCESS_DENIED_ERROR')
      }
  const long = 'x'.repeat(240)
  await account(world, 'identified by ?', long)
  assert.deepEqual(await ask(world, as(world, long)), [{ a: 1 }])
  await account(world, 'identified by ?', long)
  await refused(world, as(world, long, PLAIN), 'CR_AUTH_PLUGIN_ERR')
}

/** An account that may not log in is told why. */
export async function provesAccounts(world: ServerWorld): Promise<void> {
  const own = as(world, 'own')
  await account(world, "identified by 'own' require ssl")
  assert.deepEqual(await ask(world, own), [{ a: 1 }])
  await refused(world, { ...own, tls: PLAIN }, 'ER_ACCESS_DENIED_ERROR')
  for (const [how, condition] of [
    ['require x509', 'ER_ACCESS_DENIED_ERROR'],
    ['account lock', 'ER_ACCOUNT_HAS_BEEN_LOCKED'],
    ['password expire', 'ER_MUST_CHANGE_PASSWORD_LOGIN'],
  ] as const) {
    await account(world, `identified by 'own' ${how}`)
    await refused(world, own, condition)
  }
  await account(world, "identified by 'own' failed_login_attempts 1 password_lock_time 1")
  await refused(world, as(world, 'wrong'), 'ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK')
  await refused(world, own, 'ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK')
  await account(world, "identified by 'own'")
  await world.admin.query(`alter user ${ACCOUNT} identified by 'next' retain current password`)
  for (const password of ['own', 'next']) assert.deepEqual(await ask(world, as(world, password)), [{ a: 1 }])
  await world.admin.query(`alter user ${ACCOUNT} discard old password`)
  await refused(world, own, 'ER_ACCESS_DENIED_ERROR')
}

/** Callers at once are as many as the account may have connections; the others are told. */
export async function provesConnectionLimit(world: ServerWorld): Promise<void> {
  await account(world, "identified by 'own' with max_user_connections 2")
  await world.admin.query(`grant select on corpus.* to ${ACCOUNT}`)
  const target = { ...as(world, 'own'), database: 'corpus' }
  const slow = { sql: 'select sum(a.id + b.id) from t a, t b', write: false }
  const results = await Promise.allSettled(
    Array.from({ length: 6 }, () => world.databases.query(target, slow)),
  )
  const conditions = results.map((result) =>
    result.status === 'fulfilled' ? 'answered' : String(Object(result.reason)['details']?.condition),
  )
  assert.ok(conditions.includes('answered'), conditions.join())
  for (const condition of conditions)
    assert.match(condition, /^(answered|ER_USER_LIMIT_REACHED|ER_TOO_MANY_USER_CONNECTIONS)$/)
  assert.deepEqual(await ask(world, target), [{ a: 1 }])
}

/** An account reads what it may read, and nothing else. */
export async function provesLeastRights(world: ServerWorld): Promise<void> {
  await account(world, "identified by 'own'")
  for (const grant of ['select on corpus.t', 'select on corpus.v', 'execute on function corpus.f_ok'])
    await world.admin.query(`grant ${grant} to ${ACCOUNT}`)
  const reader = { ...as(world, 'own'), database: 'corpus' }
  assert.equal((await ask(world, reader, 'select id, upper(name) from t limit 3')).length, 3)
  assert.deepEqual(await world.databases.tables(reader), ['t', 'v'])
  assert.deepEqual((await world.databases.describe(reader, 't')).columns[0]?.name, 'id')
  await assert.rejects(ask(world, reader, 'select * from u'), {
    details: { reason: 'statement', condition: 'ER_TABLEACCESS_DENIED_ERROR' },
  })
  // Whoever does not see what a view does cannot tell that it only reads.
  const ofView = 'select id from v limit 2'
  await assert.rejects(ask(world, reader, ofView), { code: 'database.write_required' })
  await world.admin.query(`grant show view on corpus.v to ${ACCOUNT}`)
  assert.equal((await ask(world, reader, ofView)).length, 2)
  const ofFunction = 'select f_ok(1) as a'
  await assert.rejects(ask(world, reader, ofFunction), { code: 'database.write_required' })
  await world.admin.query(`grant show_routine on *.* to ${ACCOUNT}`)
  assert.deepEqual(await ask(world, reader, ofFunction), [{ a: 2 }])
  for (const sql of ['select sleep(5)', 'select * from v_lock', 'delete from t', 'select f_write()'])
    await assert.rejects(ask(world, reader, sql), Error, sql)
  await world.admin.query(`drop user ${ACCOUNT}`)
}

/** What the server stores for a password, which is no proof of it but helps to guess it, is not printed. */
export async function provesStoredReplaced(world: ServerWorld): Promise<void> {
  const column = "authentication_string from mysql.user where user = 'root'"
  const [stored] = await world.admin.query(`select ${column}`)
  const text = String(Object(Array.isArray(stored) ? stored[0] : undefined)['authentication_string'])
  assert.match(text, /^\$A\$[0-9A-F]{3}\$/)
  for (const sql of [
    'show create user root@localhost',
    `select user, ${column}`,
    `select concat('a ', authentication_string, ' b') as x, ${column}`,
    `select cast(authentication_string as binary) as x, ${column}`,
    `select json_object('a', authentication_string) as x, ${column}`,
    `select quote(authentication_string) as x, hex(authentication_string) as y, to_base64(authentication_string) as z, ${column}`,
  ]) {
    const printed = JSON.stringify(await ask(world, world.target, sql))
    assert.match(printed, /\[REDACTED\]/, sql)
    assert.ok(!printed.includes(text.slice(-43)), `${sql} prints it`)
    assert.ok(
      !printed.includes(Buffer.from(text).toString('base64').slice(40, -4)),
      `${sql} prints its bytes`,
    )
  }
}
