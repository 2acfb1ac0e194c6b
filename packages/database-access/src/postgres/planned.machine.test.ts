import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { startBarePostgres } from '@fleet/testing'
import type { ServerTarget } from '#/access.ts'
import { ServerError } from './exchange.ts'
import { connectPostgres, type PostgresSession } from './session.ts'

const PASSWORD = 'horse-battery-staple'
let server: Awaited<ReturnType<typeof startBarePostgres>>
before(async () => void (server = await startBarePostgres({ settings: [], password: PASSWORD })))
after(() => server.stop())

const socketOf = (): string => `${new URL(server.url).searchParams.get('host') ?? ''}/.s.PGSQL.5432`

const login = (open: () => Promise<Socket>): Promise<PostgresSession> => {
  const target: ServerTarget = {
    engine: 'pgsql',
    username: 'fleet',
    password: new Secret(PASSWORD),
    database: 'postgres',
    open,
  }
  return connectPostgres(target, AbortSignal.timeout(10_000))
}
const direct = (): Promise<PostgresSession> => login(async () => connect(socketOf()))

const ASKED = `select pg_catalog.current_setting('fleet.one')`
const ask = async (session: PostgresSession, value: string) => {
  await session.simple('begin')
  const rows = await session.planned(ASKED, { 'fleet.one': value })
  await session.simple('rollback')
  return rows
}
const plans = (session: PostgresSession) =>
  session.simple('select name, statement from pg_prepared_statements')

test('a statement is planned once for a session, whatever its settings, and the plan outlives a reset', async () => {
  using session = await direct()
  assert.deepEqual(await ask(session, 'a'), [['a']])
  assert.deepEqual(await plans(session), [['fleet 1', ASKED]])
  const planned = await session.simple('select prepare_time from pg_prepared_statements')
  await session.simple(`set my.own = 'left'; create temporary table left_behind (); listen left_behind; select pg_advisory_lock(7);
    declare left_over cursor with hold for select 1`)
  await session.reset()
  assert.deepEqual(
    await session.simple(`select nullif(current_setting('my.own', true), ''), to_regclass('left_behind'), pg_listening_channels(),
      (select count(*) from pg_locks where locktype = 'advisory'), (select count(*) from pg_cursors)`),
    [],
    'nothing listens, so there is no row',
  )
  assert.deepEqual(
    await session.simple(`select nullif(current_setting('my.own', true), ''), to_regclass('left_behind'),
      (select count(*) from pg_locks where locktype = 'advisory'), (select count(*) from pg_cursors where name = 'left_over')`),
    [[null, null, '0', '0']],
  )
  assert.deepEqual(await ask(session, 'b'), [['b']])
  assert.deepEqual(await session.simple('select prepare_time from pg_prepared_statements'), planned)
})

test('a statement of ours is planned without JIT, and the one of the caller as its session has it', async () => {
  using session = await direct()
  for (const value of ['on', 'off']) {
    await session.simple(`set jit = '${value}'`)
    await session.simple('begin')
    assert.deepEqual(
      await session.planned(`select pg_catalog.current_setting('jit')`, { 'fleet.one': 'a' }),
      [['off']],
    )
    assert.deepEqual(await session.simple('show jit'), [[value]])
    await session.simple('rollback')
    assert.deepEqual(await session.simple('show jit'), [[value]])
  }
})

test('a session is not reset in a transaction, or where somebody else has prepared a statement', async () => {
  using open = await direct()
  await open.simple('begin')
  await assert.rejects(open.reset(), ServerError)
  using kept = await direct()
  await ask(kept, 'a')
  await kept.simple('begin')
  await assert.rejects(kept.reset(), ServerError)
  await kept.simple('rollback')
  await kept.reset()
  await kept.simple('prepare other as select 1')
  await assert.rejects(kept.reset(), ServerError)
})

test('a statement that fails is planned again', async () => {
  using session = await direct()
  const sql = `select 1 / pg_catalog.current_setting('fleet.one')::int`
  await session.simple('begin')
  await assert.rejects(session.planned(sql, { 'fleet.one': '0' }), ServerError)
  await session.simple('rollback; begin')
  assert.deepEqual(await session.planned(sql, { 'fleet.one': '1' }), [['1']])
  assert.deepEqual(await session.planned(sql, { 'fleet.one': '-1' }), [['-1']])
})

test('behind a pooler, whose backends change, a statement is planned each time', async () => {
  await using pooler = await startPooler()
  using session = await login(async () => connect(pooler.port, '127.0.0.1'))
  for (const value of ['a', 'b']) {
    assert.deepEqual(await ask(session, value), [[value]])
    await session.simple('deallocate all')
  }
  await session.reset()
  assert.deepEqual(await plans(session), [])
})

/** Passes everything on, but says that the process of the backend is another one, as a pooler does. */
async function startPooler(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets: Socket[] = []
  const front = createServer((client) => {
    const behind = connect(socketOf())
    sockets.push(client, behind)
    client.on('error', () => undefined).pipe(behind)
    behind.on('error', () => undefined)
    // BackendKeyData (protocol-message-formats.html) has 12 bytes and the process first.
    const key = Buffer.from([0x4b, 0, 0, 0, 12])
    behind.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(key)
      if (at >= 0) chunk.writeInt32BE(1, at + key.length)
      client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const address = front.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => front.close(resolve))
    },
  }
}
