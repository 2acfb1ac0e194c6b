import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { account, ACCOUNT, as, ask, PASSWORDS, PLAIN, refused } from './mysql-logins.ts'
import { PASSWORD, type ServerWorld } from './server-world.ts'

const PLUGINS = [
  'identified via mysql_native_password using password(?)',
  'identified via unix_socket or mysql_native_password using password(?)',
]

/** An account logs in with and without TLS, also when its password is the second thing that the server tries. */
export async function provesMariadbPasswords(world: ServerWorld): Promise<void> {
  for (const how of PLUGINS)
    for (const password of PASSWORDS)
      for (const tls of [PLAIN, undefined]) {
        await account(world, how, password)
        assert.deepEqual(await ask(world, as(world, password, tls)), [{ a: 1 }], how)
        for (const wrong of [`${password}x`, 'other'])
          await refused(world, as(world, wrong, tls), 'ER_ACCESS_DENIED_ERROR')
      }
}

/** An account that may not log in is told why. */
export async function provesMariadbAccounts(world: ServerWorld): Promise<void> {
  const { admin } = world
  const own = as(world, 'own')
  await account(world, "identified by 'own' require ssl")
  assert.deepEqual(await ask(world, own), [{ a: 1 }])
  await refused(world, { ...own, tls: PLAIN }, 'ER_ACCESS_DENIED_ERROR')
  for (const [how, condition] of [
    ["identified by 'own' require x509", 'ER_ACCESS_DENIED_ERROR'],
    ["identified by 'own' account lock", 'ER_ACCOUNT_HAS_BEEN_LOCKED'],
    ["identified by 'own' password expire", 'ER_MUST_CHANGE_PASSWORD'],
    ['identified via unix_socket', 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR'],
  ] as const) {
    await account(world, how)
    await refused(world, own, condition)
  }
  await account(world, "identified by 'own'")
  await admin.query('set global max_password_errors = 1')
  await refused(world, as(world, 'wrong'), 'ER_ACCESS_DENIED_ERROR')
  await refused(world, own, 'ER_USER_IS_BLOCKED')
  await admin.query('set global max_password_errors = default')
  await admin.query('flush privileges')
}

/** An account reads what it may read, and nothing else. */
export async function provesMariadbRights(world: ServerWorld): Promise<void> {
  const { admin, databases } = world
  await account(world, "identified by 'own'")
  for (const grant of [
    'select on corpus.t',
    'select on corpus.v',
    'execute on function corpus.f_ok',
    'execute on function corpus.d_lock',
  ])
    await admin.query(`grant ${grant} to ${ACCOUNT}`)
  const reader = { ...as(world, 'own'), database: 'corpus' }
  assert.equal((await ask(world, reader, 'select id, upper(name) from t limit 3')).length, 3)
  assert.deepEqual(await databases.tables(reader), ['t', 'v'])
  await assert.rejects(ask(world, reader, 'select * from u'), {
    details: { reason: 'statement', condition: 'ER_TABLEACCESS_DENIED_ERROR' },
  })
  // Whoever does not see what a view or a function does cannot tell that it only reads.
  for (const [sql, grant, count] of [
    ['select id from v limit 2', 'show view on corpus.v', 2],
    ['select f_ok(1) as a', 'show create routine on corpus.*', 1],
  ] as const) {
    await assert.rejects(ask(world, reader, sql), { code: 'database.write_required' }, sql)
    await admin.query(`grant ${grant} to ${ACCOUNT}`)
    assert.equal((await ask(world, reader, sql)).length, count, sql)
  }
  for (const sql of [
    'select sleep(5)',
    'select * from v_lock',
    'delete from t',
    'select d_lock()',
    'select f_write()',
  ])
    await assert.rejects(ask(world, reader, sql), Error, sql)
  await admin.query(`drop user ${ACCOUNT}`)
}

/** What the server stores for a password, which is no proof of it but helps to guess it, is not printed. */
export async function provesMariadbVerifiers(
  rows: (sql: string) => Promise<readonly unknown[]>,
): Promise<void> {
  const once = createHash('sha1').update(PASSWORD).digest()
  const stored = createHash('sha1').update(once).digest('hex').toUpperCase()
  const part = 'substr(authentication_string, 2)'
  for (const sql of [
    'show grants',
    'show create user',
    "select priv from mysql.global_priv where user = 'root'",
    `select authentication_string, hex(${part}), to_base64(${part}), reverse(${part}), unhex(${part}), lower(${part})
      from mysql.user where user = 'root'`,
  ]) {
    const text = JSON.stringify(await rows(sql))
    assert.match(text, /\[REDACTED\]/, sql)
    for (const form of [
      stored,
      stored.toLowerCase(),
      Buffer.from(stored).toString('hex').toUpperCase(),
      Buffer.from(stored).toString('base64').slice(0, -4),
      Buffer.from(stored, 'hex').toString('base64'),
      Array.from(stored).toReversed().join(''),
    ])
      assert.ok(!text.includes(form), `${sql} prints ${form}`)
  }
}
