// A read of a registered PostgreSQL database, beside the bare driver on a connection of its own and on a warm one.
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { openDatabases, type ServerTarget } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { startPostgres } from '@fleet/testing'
import { Client } from 'pg'
import { type Measure, measure, median, percentile, sideBySide, times } from './measure.ts'

const RUNS = 300
const PAUSE_MILLISECONDS = 60

export async function* run(): AsyncGenerator<Measure> {
  await using server = await startPostgres()
  const databases = openDatabases({ clock: systemClock, ids: systemIds })
  const target = targetOf(server.url)
  const read = (sql: string) => (): Promise<unknown> => databases.query(target, { sql, write: false })
  const cold = (sql: string) => async (): Promise<void> => {
    const client = new Client(server.url)
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  const one = await sideBySide(RUNS, read('select 1'), cold('select 1'))
  yield measure('database-read', 'ms', median(one.ours), 'pg, new connection, p50', median(one.theirs))
  yield measure(
    'database-read-p99',
    'ms',
    percentile(one.ours, 0.99),
    'pg, new connection, p99',
    percentile(one.theirs, 0.99),
  )
  const warm = new Client(server.url)
  await warm.connect()
  const warmTimes = await times(RUNS, () => warm.query('select 1'))
  await warm.end()
  yield measure('database-read-warm', 'ms', median(one.ours), 'pg, warm connection, p50', median(warmTimes))
  const rows = 'select g, g::text as b, g * 1.5 as c, now() as d from generate_series(1, 500) g'
  await using keeping = openDatabases({ clock: systemClock, ids: systemIds })
  const spares = { owner: 'bench', version: '1', server: 'bench', open: target.open }
  const ready = (): Promise<unknown> =>
    keeping.query({ ...target, spares }, { sql: 'select 1', write: false })
  const paced = await sideBySide(RUNS / 3, ready, cold('select 1'), () => setTimeout(PAUSE_MILLISECONDS))
  yield measure(
    'database-read-ready',
    'ms',
    median(paced.ours),
    'pg, new connection, paced, p50',
    median(paced.theirs),
  )
  const many = await sideBySide(RUNS / 3, read(rows), cold(rows))
  yield measure(
    'database-read-500-rows',
    'ms',
    median(many.ours),
    'pg, new connection, p50',
    median(many.theirs),
  )
}

function targetOf(address: string): ServerTarget {
  const folder = new URL(address).searchParams.get('host') ?? ''
  return {
    engine: 'pgsql',
    open: () =>
      new Promise((resolve, reject) => {
        const socket = connect(`${folder}/.s.PGSQL.5432`, () => resolve(socket))
        socket.once('error', reject)
      }),
    username: 'fleet',
    password: new Secret('not asked for'),
    database: 'postgres',
  }
}
