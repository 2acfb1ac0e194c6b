import { writeFileSync } from 'node:fs'
import { startPostgres } from '@fleet/testing'
import { Client } from 'pg'

/** A PostgreSQL on a port of the loopback, with a reader who proves a password, as registered ones have. */
export interface ScramPostgres extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

const HOST = '127.77.1.2'
const PASSWORD = 'horse-battery-staple'

export async function startScramPostgres(): Promise<ScramPostgres> {
  const server = await startPostgres(undefined, [`listen_addresses=${HOST}`])
  const admin = new Client(server.url)
  await admin.connect()
  await admin.query(`create role reader login password '${PASSWORD}'`)
  const { rows } = await admin.query<{ readonly hba_file: string }>('show hba_file')
  writeFileSync(rows[0]?.hba_file ?? '', 'local all all trust\nhost all all 127.0.0.0/8 scram-sha-256\n')
  await admin.query('select pg_reload_conf()')
  await admin.end()
  return {
    host: HOST,
    port: 5432,
    user: 'reader',
    password: PASSWORD,
    database: 'postgres',
    [Symbol.asyncDispose]: () => server.stop(),
  }
}
