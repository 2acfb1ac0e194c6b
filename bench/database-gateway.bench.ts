// Reads of a registered PostgreSQL through the whole gateway (HTTPS, grant, Activity, judgement), beside the bare driver and DBHub.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@fleet/testing/free-port'
import { Client } from 'pg'
import { type EmbeddedFleet, startEmbedded } from '../tests/embedded/harness.ts'
import { measure, median, percentile, type Report, sideBySide } from './measure.ts'
import { DBHUB_MISSING, type Dbhub, dbhubFolder, startDbhub } from './servers/dbhub.ts'
import { type ScramPostgres, startScramPostgres } from './servers/scram-postgres.ts'

const RUNS = 300
const READERS = 16
const PAUSE_MILLISECONDS = 60
const ONE = 'select 1 as a'
const COLUMNS = Array.from({ length: 20 }, (_, at) => `g + ${at} as c${at}`).join(', ')
const MANY = `select ${COLUMNS} from generate_series(1, 500) g`

type Read = (sql: string) => Promise<unknown>

export async function* run(): AsyncGenerator<Report> {
  await using server = await startScramPostgres()
  await using fleet = await startEmbedded({ sample: false })
  const ours = await registered(fleet, server)
  const fresh = freshly(server)
  yield* compare('database-gateway', ours, fresh, 'pg, new connection')
  const folder = dbhubFolder()
  if (folder === undefined) {
    yield { bench: 'database-gateway-dbhub', skipped: DBHUB_MISSING }
    return
  }
  const dsn = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/${server.database}?sslmode=disable`
  await using dbhub: Dbhub = await startDbhub(folder, await freePort(), dsn)
  yield* compare('database-gateway-dbhub', ours, dbhub.read, 'DBHub, which keeps its connections')
}

async function* compare(name: string, ours: Read, theirs: Read, baseline: string): AsyncGenerator<Report> {
  const one = await sideBySide(
    RUNS,
    () => ours(ONE),
    () => theirs(ONE),
  )
  yield measure(name, 'ms', median(one.ours), `${baseline}, p50`, median(one.theirs))
  yield measure(
    `${name}-p99`,
    'ms',
    percentile(one.ours, 0.99),
    `${baseline}, p99`,
    percentile(one.theirs, 0.99),
  )
  // Who reads an answer before the next question, as people and agents do, finds the next connection ready.
  const paced = await sideBySide(
    RUNS / 3,
    () => ours(ONE),
    () => theirs(ONE),
    () => setTimeout(PAUSE_MILLISECONDS),
  )
  yield measure(`${name}-paced`, 'ms', median(paced.ours), `${baseline}, paced, p50`, median(paced.theirs))
  yield measure(
    `${name}-paced-p99`,
    'ms',
    percentile(paced.ours, 0.99),
    `${baseline}, paced, p99`,
    percentile(paced.theirs, 0.99),
  )
  const many = await sideBySide(
    RUNS / 3,
    () => ours(MANY),
    () => theirs(MANY),
  )
  yield measure(`${name}-500-rows`, 'ms', median(many.ours), `${baseline}, p50`, median(many.theirs))
  const manyPaced = await sideBySide(
    RUNS / 6,
    () => ours(MANY),
    () => theirs(MANY),
    () => setTimeout(PAUSE_MILLISECONDS),
  )
  yield measure(
    `${name}-500-rows-paced`,
    'ms',
    median(manyPaced.ours),
    `${baseline}, paced, p50`,
    median(manyPaced.theirs),
  )
  const all = (read: Read) => () => Promise.all(Array.from({ length: READERS }, () => read(ONE)))
  const at = await sideBySide(RUNS / 10, all(ours), all(theirs))
  yield measure(`${name}-16-readers`, 'ms', median(at.ours), `${baseline}, all 16, p50`, median(at.theirs))
}

/** Requests of one client that keeps its connections, as the SDK and MCP clients do. */
async function registered(fleet: EmbeddedFleet, server: ScramPostgres): Promise<Read> {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(fleet.announced.ca_file) })
  const { host, port, user: username, password, database } = server
  const send = (path: string, body: object): Promise<void> =>
    new Promise((resolve, reject) => {
      const url = `${fleet.announced.base_url}/api/v1/database-connections${path}`
      const headers = { 'content-type': 'application/json' }
      const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          if (answer.statusCode === 200 || answer.statusCode === 201) return resolve()
          reject(new Error(`${answer.statusCode} ${Buffer.concat(chunks).toString()}`))
        })
      })
      sent.on('error', reject)
      sent.end(JSON.stringify(body))
    })
  await send('', { slug: 'shop', driver: 'pgsql', host, port, username, password, database })
  return (sql) => send('/shop/query', { sql })
}

const freshly =
  ({ host, port, user, password, database }: ScramPostgres): Read =>
  async (sql) => {
    const client = new Client({ host, port, user, password, database })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
