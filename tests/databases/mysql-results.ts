import assert from 'node:assert/strict'
import { DatabaseFailure, type ServerTarget } from '@fleet/database-access'
import { reached } from './reached.ts'
import type { ServerWorld } from './server-world.ts'

const MEBIBYTE = 1024 ** 2

interface Watched {
  readonly rows: readonly object[]
  /** Mebibytes that the process grew by at most while the statement was answered. */
  readonly grown: number
}

async function watched({ databases, target }: ServerWorld, sql: string): Promise<Watched> {
  const base = process.memoryUsage.rss()
  let most = base
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
  try {
    const patience = { timeoutMilliseconds: 120_000 }
    const { rows } = await databases.query(target, { sql, write: false }, patience)
    return { rows, grown: (Math.max(most, process.memoryUsage.rss()) - base) / MEBIBYTE }
  } finally {
    clearInterval(watch)
  }
}

/** 500 rows take no more memory the more there are. */
export async function provesTenMillionRows(world: ServerWorld): Promise<void> {
  const { admin } = world
  await admin.query('create table ten_million (id int, what char(40)) engine = myisam')
  const ten = '(select seq from numbers where seq <= 10)'
  await admin.query(
    `insert into ten_million select n.seq, 'some text of a row' from numbers n, numbers m, ${ten} d`,
  )
  const [counted] = await admin.query('select count(*) as n from ten_million')
  assert.deepEqual(JSON.stringify(counted), '[{"n":10000000}]')
  for (const sql of [
    'select * from ten_million',
    'table ten_million',
    'select a.* from ten_million a, t',
    'with a as (select * from ten_million) select * from a',
  ]) {
    const { rows, grown } = await watched(world, sql)
    assert.equal(rows.length, 500)
    assert.ok(grown < 60, `${sql} took ${grown} MiB`)
  }
  await admin.query('drop table ten_million')
}

/** A cell of nearly 1 GiB is cut while it arrives. */
export async function provesGigabyte(world: ServerWorld): Promise<void> {
  await world.admin.query('set global max_allowed_packet = 1073741824')
  const { rows, grown } = await watched(world, "select repeat('x', 1073741800) as big, 5 as n")
  assert.match(JSON.stringify(rows), /^\[\{"big":"x{65536}… \[cut\]","n":5\}\]$/)
  assert.ok(grown < 120, `it took ${grown} MiB`)
  await world.admin.query('set global max_allowed_packet = default')
}

const SUM = 'select sum(a.id + b.id + c.id + d.id) as s from t a, t b, t c, t d'

/** Statements that run for ever in every form that is a read. */
export const ENDLESS: readonly string[] = [
  SUM,
  `with a as (${SUM}) select * from a`,
  `select * from t where id = (${SUM})`,
  `values row((${SUM}))`,
  'table v_endless',
  'select f_endless()',
  `explain analyze ${SUM}`,
  `explain analyze for schema corpus ${SUM}`,
  `explain analyze format=json ${SUM}`,
  `explain format=tree select * from (${SUM}) x`,
]

/** The same for MariaDB, which ends every statement by itself. */
export const ENDLESS_OF_MARIADB: readonly string[] = [
  SUM,
  `with a as (${SUM}) select * from a`,
  `select * from t where id = (${SUM})`,
  `values ((${SUM}))`,
  'select * from v_endless',
  'select f_endless()',
  `analyze ${SUM}`,
  `analyze format=json ${SUM}`,
  `show variables where (${SUM}) > 0`,
  'show tables where f_endless()',
]

/** The same, and what MySQL would not end by itself, which is therefore no read. */
export const UNTIMED: readonly string[] = [
  `show variables where (${SUM}) > 0`,
  'show tables where f_endless()',
  `explain delete from t where id = (${SUM})`,
  'explain insert into log select now(), s from v_endless',
]

/** With what `ENDLESS` and `UNTIMED` need. */
export async function withEndless({ admin }: ServerWorld, work: () => Promise<void>): Promise<void> {
  await admin.query(`create view v_endless as ${SUM}`)
  await admin.query(`create function f_endless() returns int deterministic return (${SUM})`)
  try {
    await work()
  } finally {
    await admin.query('drop function f_endless')
    await admin.query('drop view v_endless')
  }
}

/** Nobody ends it: its client and its gateway are gone, so that the limit of the server is the last resort. */
export async function provesEndsAlone(world: ServerWorld, sql: string): Promise<void> {
  const { databases, target, admin } = world
  let opened = 0
  const alone: ServerTarget = {
    ...target,
    open: (signal) => {
      opened += 1
      return opened === 1 ? target.open(signal) : Promise.reject(new Error('nobody gets there'))
    },
  }
  const work = databases.query(alone, { sql, write: false }, { timeoutMilliseconds: 1000 })
  // Whether it still runs when the answer is given depends on how soon the server comes to its own limit.
  await assert.rejects(work, (thrown) => {
    assert.ok(thrown instanceof DatabaseFailure, sql)
    assert.equal(thrown.details.reason, 'time', sql)
    return true
  })
  const running = async (): Promise<number> => {
    const [found] = await admin.query(
      "select id from information_schema.processlist where command = 'Query' and id <> connection_id() and user = 'root'",
    )
    return Array.isArray(found) ? found.length : -1
  }
  assert.equal(await reached(running, 0), 0, sql)
}
