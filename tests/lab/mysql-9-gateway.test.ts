import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { corpusOf } from '../databases/corpus.ts'
import { startMysqlWorld } from '../databases/mysql-world.ts'
import { reached } from '../databases/reached.ts'
import { PASSWORD, type ServerWorld } from '../databases/server-world.ts'
import { type EmbeddedFleet, startEmbedded } from '../embedded/harness.ts'
import { serverTree } from './server-tree.ts'

const { path: tree, missing } = await serverTree('mysql-9')
const PATH = '/api/v1/database-connections'
const CALLERS = 6
const WAYS = ['direct', 'behind', 'verified'] as const
const ENDLESS = 'select sum(a.id + b.id + c.id + d.id) from t a, t b, t c, t d'

describe('MySQL 9 behind a gateway', { skip: missing ?? false }, () => {
  let world: ServerWorld
  let fleet: EmbeddedFleet
  before(async () => {
    world = await startMysqlWorld(tree)
    fleet = await startEmbedded({ sample: false })
  })
  after(async () => {
    await fleet[Symbol.asyncDispose]()
    await world[Symbol.asyncDispose]()
  })

  const send = async (method: string, path: string, body?: object, by = fleet) => {
    const { status, text } = await by.ask(method, `${PATH}${path}`, body === undefined ? {} : { body })
    const json = text === '' ? undefined : JSON.parse(text)
    return { status, text, data: json?.data, error: json?.error }
  }
  const query = (slug: string, sql: string, write = false) =>
    send('POST', `/${slug}/query`, { sql, ...(write ? { write } : {}) })
  /** A connection of its own for a test, by the name of the way. */
  const register = async (slug: string, way: string, by = fleet, database = 'corpus') => {
    const login = { host: '127.0.0.1', port: world.port, username: 'root', password: PASSWORD, database }
    const more = {
      direct: {},
      behind: { node_id: by.nodeId('node-1') },
      verified: { tls: 'verify-ca', tls_ca: world.authority },
    }[way]
    const made = await send('POST', '', { slug, driver: 'mysql', ...login, ...more }, by)
    assert.equal(made.status, 201, made.text)
    return made
  }
  const running = async (): Promise<number> => {
    const [found] = await world.admin.query(
      "select id from information_schema.processlist where command = 'Query' and id <> connection_id() and user = 'root'",
    )
    return Array.isArray(found) ? found.length : -1
  }

  test('it is registered, changed, read and written, directly and through a Node [DB-035, DB-019, DB-055, DB-056, DB-057, DB-058]', async () => {
    for (const slug of WAYS) {
      const made = await register(slug, slug, fleet, 'mysql')
      assert.deepEqual([made.data.driver, made.data.port], ['mysql', world.port])
      const changed = await send('PATCH', `/${slug}`, { database: 'corpus' })
      assert.equal(changed.status, 200, changed.text)
      const rows = await query(slug, 'select id, name, doc from t order by id')
      assert.deepEqual(rows.data?.rows[0], { id: 1, name: 'name 1', doc: { n: 1 } }, rows.text)
      assert.deepEqual([rows.data.row_count, rows.data.truncated], [500, true])
      for (const [sql, status, code] of [
        ['delete from t', 422, 'database.write_required'],
        ['explain for schema corpus select * from v_lock', 422, 'database.write_required'],
        ['select 1; select 2', 422, 'database.sql_multiple_statements'],
        ['select nope from t', 502, 'database.query_failed'],
      ] as const) {
        const refused = await query(slug, sql)
        assert.deepEqual([refused.status, refused.error.code], [status, code], sql)
      }
      const tables = await send('GET', `/${slug}/tables`)
      assert.ok(tables.data.tables.includes('jdv'), tables.text)
      const described = await send('GET', `/${slug}/describe/vectors`)
      assert.deepEqual(
        described.data.columns.map(({ name, type }: { name: string; type: string }) => [name, type]),
        [
          ['id', 'int'],
          ['at', 'vector(2)'],
        ],
      )
      const schema = await send('GET', `/${slug}/schema`)
      assert.equal(schema.status, 200)
      const redacted = await query(slug, `select 'my ${PASSWORD}!' as a`)
      assert.deepEqual(redacted.data.rows, [{ a: 'my [REDACTED]!' }])
      const written = await query(slug, 'update u set note = upper(note) where id <= 3', true)
      assert.equal(written.data?.row_count, 3, written.text)
      await query(slug, 'update u set note = lower(note) where id <= 3', true)
    }
    const wrong = await send('PATCH', '/verified', { tls: 'verify-full' })
    assert.equal(wrong.status, 200, wrong.text)
    const refused = await query('verified', 'select 1')
    assert.deepEqual([refused.status, refused.error.details.reason], [502, 'tls'])
    for (const slug of WAYS) assert.equal((await send('DELETE', `/${slug}`)).status, 200)
  })

  for (const way of WAYS)
    test(`tricks and reads of several callers end as they end without a gateway: ${way}`, async () => {
      const slug = `corpora-${way}`
      await register(slug, way)
      const earlier = await world.fingerprint()
      const tenth = corpusOf('mysql', 'tricks').filter((_, at) => at % 10 === 0)
      const rows = [
        ...tenth.map((row) => ({ ...row, status: 422 })),
        ...corpusOf('mysql', 'reads')
          .filter(({ isUnknown }, at) => at % 6 === 0 && !isUnknown)
          .map((row) => ({ ...row, status: 200 })),
      ]
      const wrong: string[] = []
      const queue = [...rows]
      const caller = async (): Promise<void> => {
        for (let next = queue.pop(); next; next = queue.pop()) {
          const { status, text } = await query(slug, next.statement)
          const isRight = status === next.status || (next.isUnknown && status === 502)
          if (!isRight) wrong.push(`${next.statement} → ${status} ${text.slice(0, 200)}`)
        }
      }
      await Promise.all(Array.from({ length: CALLERS }, caller))
      assert.deepEqual(wrong, [])
      assert.equal(await reached(running, 0), 0)
      assert.equal(withoutReady(await world.fingerprint()), withoutReady(earlier))
      await send('DELETE', `/${slug}`)
    })

  test('a statement ends at the server at its time, and when the gateway is killed', async () => {
    await using killed = await startEmbedded({ sample: false })
    await register('endless', 'behind', killed)
    const ask = () => send('POST', '/endless/query', { sql: ENDLESS }, killed)
    const over = ask()
    assert.equal(await reached(running, 1), 1)
    const { status, error } = await over
    assert.deepEqual([status, error.details.reason], [502, 'time'])
    assert.equal(await reached(running, 0), 0)
    const lost = ask().catch(() => undefined)
    assert.equal(await reached(running, 1), 1)
    await killed.end('SIGKILL')
    await lost
    // Its own 30 seconds.
    assert.equal(await reached(running, 0, 60), 0)
  })
})

/** Connections that the gateway keeps ready are no part of what a read may not change. */
const withoutReady = (fingerprint: string): string =>
  fingerprint
    .split('\n')
    .filter((line) => !/processlist|innodb_trx|user_variables|metadata_locks/.test(line))
    .join('\n')
