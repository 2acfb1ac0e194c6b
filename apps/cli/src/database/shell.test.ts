import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import type { FakeTerminalOptions } from '#/fake-terminal.ts'
import { makePerson } from '#/run-harness.ts'
import { readTree } from '#/tree.ts'

const envelope = (data: unknown): Reply => ({ status: 200, body: { data, meta: { request_id: 'x' } } })
const PATH = '/api/v1/database-connections/shop'
const result = (rows: readonly object[], columns: readonly string[], more: object = {}) => ({
  slug: 'shop',
  driver: 'pgsql',
  write: false,
  columns,
  rows,
  row_count: rows.length,
  truncated: false,
  ...more,
})
const ORDERS = result(
  [
    { id: 1, note: 'a, "b"' },
    { id: 2, note: null },
  ],
  ['id', 'note'],
)
const COLUMN = { name: 'id', type: 'integer', nullable: false, default: null, primary: true }

/** A person whose gateway has one database with one table. */
async function scene(query: (sql: string) => Reply = () => envelope(ORDERS)) {
  const gateway: HttpsGateway = await startHttpsGateway(systemClock, ({ method, url, body }, { root }) => {
    const known: Readonly<Record<string, () => Reply>> = {
      'GET /api/v1/ca/root': () => envelope({ root_ca: root().certificate, sha256: root().sha256 }),
      [`GET ${PATH}`]: () => envelope({ slug: 'shop' }),
      [`GET ${PATH}/tables`]: () => envelope({ slug: 'shop', driver: 'pgsql', tables: ['orders', 'Other'] }),
      [`GET ${PATH}/describe/orders`]: () => envelope({ table: 'orders', columns: [COLUMN] }),
      [`POST ${PATH}/query`]: () => query(sqlOf(body)),
    }
    return (
      known[`${method} ${url}`]?.() ?? {
        status: 404,
        body: { error: { code: 'database.not_found', message: 'No such connection.' } },
      }
    )
  })
  const person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  return {
    gateway,
    person,
    type: (words: readonly string[], terminal?: FakeTerminalOptions) => person.type(words, terminal),
    async [Symbol.asyncDispose]() {
      person[Symbol.dispose]()
      await gateway[Symbol.asyncDispose]()
    },
  }
}

const sqlOf = (body: string): string => (JSON.parse(body) as { sql: string }).sql // What the command sends.
const sent = ({ asked }: HttpsGateway): readonly unknown[] =>
  asked.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))

test('rows are a table with a count; the statement may come from standard input', async () => {
  await using at = await scene()
  const table = 'id | note\n---+-------\n1  | a, "b"\n2  | NULL\n(2 rows)\n'
  const typed = await at.type(['database:query', 'shop', 'select * from orders'])
  assert.deepEqual([typed.exit, typed.out], [0, table], typed.err)
  const piped = await at.type(['database:query', 'shop', '-', '--write'], {
    input: 'update orders set a = 1',
  })
  assert.equal(piped.exit, 0, piped.err)
  assert.deepEqual(sent(at.gateway), [
    { sql: 'select * from orders' },
    { sql: 'update orders set a = 1', write: true },
  ])
})

test('rows are CSV, or the answer of the gateway letter by letter, not both', async () => {
  await using at = await scene()
  const csv = await at.type(['database:query', 'shop', 'select 1', '--csv'])
  assert.deepEqual([csv.exit, csv.out], [0, 'id,note\n1,"a, ""b"""\n2,\n'])
  const json = await at.type(['database:query', 'shop', 'select 1', '--json'])
  assert.deepEqual(JSON.parse(json.out).data ?? JSON.parse(json.out), ORDERS)
  const both = await at.type(['database:query', 'shop', 'select 1', '--json', '--csv'])
  assert.equal(both.exit, 2)
})

test('CSV with fewer rows than there are says so and fails, and a write tells its count where no rows are', async () => {
  const REQUEST = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const answers: Readonly<Record<string, object>> = {
    'select 1': result([{ id: 1 }], ['id'], { truncated: true }),
    'update orders': result([], [], { write: true, row_count: 3 }),
    'update orders returning id': result([{ id: 1 }], ['id'], { write: true }),
  }
  await using at = await scene((sql) => envelope(answers[sql]))
  const csv = async (sql: string, ...more: readonly string[]) => {
    const { exit, out, err } = await at.type(['database:query', 'shop', sql, '--csv', ...more])
    return [exit, out, err]
  }
  const truncated = '(1 row; there are more, which the gateway does not return)\n'
  assert.deepEqual(await csv('select 1', '--request-id', REQUEST), [1, 'id\n1\n', truncated])
  assert.equal(at.gateway.asked.at(-1)?.headers['x-fleet-request-id'], REQUEST)
  assert.deepEqual(await csv('update orders', '--write'), [0, '', '(3 rows affected or returned)\n'])
  assert.deepEqual(await csv('update orders returning id', '--write'), [0, 'id\n1\n', ''])
})

test('rows wider than the terminal are records, and a truncated result says so', async () => {
  const wide = result([{ a: 'x'.repeat(50), b: 'y'.repeat(50) }], ['a', 'b'], { truncated: true })
  await using at = await scene(() => envelope(wide))
  const { out } = await at.type(['database:query', 'shop', 'select 1'], { isTerminal: true, columns: 80 })
  assert.equal(
    out,
    `-[ row 1 ]-\na ${'x'.repeat(50)}\nb ${'y'.repeat(50)}\n(1 row; there are more, which the gateway does not return)\n`,
  )
})

test('a prompt runs each statement as a read, over lines, and answers its commands', async () => {
  await using at = await scene()
  const typed = [
    'select *',
    "from orders where a = ';'",
    '',
    ';',
    'select',
    '^C',
    '\\dt',
    '\\d orders',
    '\\q',
    'never;',
  ]
  const { exit, out, err, questions } = await at.type(['database:shell', 'shop'], { isTerminal: true, typed })
  assert.equal(exit, 0, err)
  assert.deepEqual(sent(at.gateway), [{ sql: "select *\nfrom orders where a = ';'\n\n;" }])
  assert.deepEqual(questions, [
    'shop=> ',
    'shop-> ',
    'shop-> ',
    'shop-> ',
    'shop=> ',
    'shop-> ',
    'shop=> ',
    'shop=> ',
    'shop=> ',
  ])
  assert.match(out, /\(2 rows\)\norders\nOther\nname/)
  const file = join(at.person.home, '.config/fleet/database-history')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(readFileSync(file, 'utf8'), /select \*\n[\s\S]*\\d orders\n\\q\n$/)
})

test('a statement with a password is not in the history, whichever of its lines has it, nor one that an earlier release kept', async () => {
  await using at = await scene(() => envelope(ORDERS))
  const file = join(at.person.home, '.config/fleet/database-history')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, "select 0;\nALTER USER a IDENTIFIED BY 'one';\n")
  const typed = [
    "alter role b password 'two';",
    'create user c',
    'identified by',
    "'three'",
    ';',
    'select 1;',
  ]
  const { exit } = await at.type(['database:shell', 'shop'], { isTerminal: true, typed })
  assert.equal(exit, 0)
  assert.equal(readFileSync(file, 'utf8'), 'select 0;\nselect 1;\n')
})

test('a refused statement does not end the prompt', async () => {
  const refusal = { code: 'database.write_required', message: 'Not a read.' }
  await using at = await scene((sql) =>
    sql.startsWith('drop') ? { status: 422, body: { error: refusal } } : envelope(ORDERS),
  )
  const { exit, out, err } = await at.type(['database:shell', 'shop'], {
    isTerminal: true,
    typed: ['drop table orders;', 'select 1;'],
  })
  assert.equal(exit, 0)
  assert.match(err, /Not a read/)
  assert.match(out, /\(2 rows\)/)
})

test('statements can be piped in: results as lines of JSON, no history, and a failure ends with a status', async () => {
  const refusal = { code: 'database.write_required', message: 'Not a read.' }
  await using at = await scene((sql) =>
    sql.startsWith('drop') ? { status: 422, body: { error: refusal } } : envelope(ORDERS),
  )
  const ok = await at.type(['database:shell', 'shop', '--json'], { typed: ['select 1;', 'select 2'] })
  assert.equal(ok.exit, 0, ok.err)
  assert.deepEqual(
    ok.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [ORDERS, ORDERS],
  )
  const failed = await at.type(['database:shell', 'shop'], { typed: ['drop table a;', 'select 1;'] })
  assert.notEqual(failed.exit, 0)
  assert.ok(!existsSync(join(at.person.home, '.config/fleet/database-history')))
})

test('an unknown connection ends the command before the first prompt', async () => {
  await using at = await scene()
  const { exit, questions, err } = await at.type(['database:shell', 'other'], {
    isTerminal: true,
    typed: ['a;'],
  })
  assert.notEqual(exit, 0)
  assert.deepEqual(questions, [])
  assert.match(err, /No such connection/)
})

test('a removal without a terminal needs --yes, by a code of the client alone [DBS-006]', async () => {
  await using at = await scene()
  const { exit, err } = await at.type(['database:destroy', 'shop', '--json'])
  assert.equal(exit, 2)
  assert.equal(JSON.parse(err).error.code, 'database.confirmation_required')
  assert.ok(!Object.hasOwn(readTree().errors, 'database.confirmation_required'))
  assert.ok(!at.gateway.asked.some(({ method }) => method === 'DELETE'))
})
