import { connect } from 'node:net'
import { Client } from 'pg'
import { openDatabases, type DatabaseAccess, type ServerTarget } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { startBarePostgres } from '@fleet/testing'
import { existsSync, readdirSync } from 'node:fs'
import { readSetup } from './corpus.ts'
import { type PostgresTree, programsOf } from './postgres-tree.ts'

/** A server of its own with the objects of the corpus. */
export interface PostgresWorld extends AsyncDisposable {
  readonly databases: DatabaseAccess
  readonly target: ServerTarget
  /** Path of the server's own socket. */
  readonly socket: string
  /** Such as 17. */
  readonly version: number
  /** A client of ours beside what is tested. */
  readonly admin: Client
  /** Everything that a read must not change, as text. */
  fingerprint(): Promise<string>
}

export const PASSWORD = 'horse/Battery+Staple 7'

/** Starts one with the programs of the npm package, or with those of a tree of Debian. */
export async function startPostgresWorld(tree?: PostgresTree): Promise<PostgresWorld> {
  const server = await startBarePostgres({
    settings: ['shared_preload_libraries=pg_stat_statements'],
    password: PASSWORD,
    ...(tree ? { programs: () => programsOf(tree) } : {}),
  })
  const url = new URL(server.url)
  const socket = `${url.searchParams.get('host') ?? ''}/.s.PGSQL.5432`
  const main = new Client(server.url)
  await main.connect()
  await main.query('create database corpus')
  const version = await majorOf(main)
  await main.end()
  url.pathname = '/corpus'
  const admin = new Client(url.href)
  await admin.connect()
  await admin.query(readSetup('postgres', version))
  await admin.query('vacuum analyze')
  return {
    databases: openDatabases({ clock: systemClock, ids: systemIds }),
    target: targetOf(socket),
    socket,
    version,
    admin,
    fingerprint: () => fingerprint(admin),
    [Symbol.asyncDispose]: async () => {
      await admin.end()
      await server.stop()
    },
  }
}

async function majorOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    "select current_setting('server_version_num')::int / 10000 as n",
  )
  return rows[0]?.n ?? 0
}

const targetOf = (path: string): ServerTarget => ({
  engine: 'pgsql',
  open: () =>
    new Promise((resolve, reject) => {
      const socket = connect(path, () => resolve(socket))
      socket.once('error', reject)
    }),
  username: 'fleet',
  password: new Secret(PASSWORD),
  database: 'corpus',
})

const PARTS = [
  ...['t', 'u', 'log', 'boxes', 'moods', 'people', 'secured'].map(
    (table) => `select md5(string_agg(x::text, ',' order by x::text)) from ${table} x`,
  ),
  'select last_value, is_called from s',
  "select md5(string_agg(format('%s %s %s %s %s', oid, relname, relfilenode, relacl, reloptions), ',' order by oid)) from pg_class where relname not like 'pg_toast%' and relpersistence <> 't'",
  "select md5(string_agg(format('%s %s %s', oid, proname, xmin), ',' order by oid)) from pg_proc",
  "select md5(string_agg(r::text, ',' order by r::text)) from pg_authid r",
  "select md5(string_agg(r::text, ',' order by r::text)) from pg_db_role_setting r",
  "select md5(string_agg(r::text, ',' order by r::text)) from pg_namespace r",
  "select md5(string_agg(r::text, ',' order by r::text)) from pg_extension r",
  "select md5(string_agg(r::text, ',' order by r::text)) from pg_description r where objoid > 16384",
  'select count(*), md5(string_agg(loid::text || encode(data, $$hex$$), $$,$$ order by loid)) from pg_largeobject',
  'select count(*) from pg_replication_slots',
  'select count(*) from pg_replication_origin',
  'select count(*) from pg_prepared_xacts',
  "select count(*) from pg_locks where locktype = 'advisory' or pid <> pg_backend_pid()",
  "select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  'select pg_conf_load_time()',
  "select stats_reset from pg_stat_database where datname = 'corpus'",
  'select count(*) from pg_file_settings',
  "select md5(string_agg(name || setting, ',' order by name)) from pg_settings where name not in ('transaction_read_only')",
  "select pg_current_wal_insert_lsn()::text = '' ",
]

async function fingerprint(admin: Client): Promise<string> {
  await settled(admin)
  const lines: string[] = []
  for (const part of PARTS)
    lines.push(`${part.slice(0, 60)}: ${JSON.stringify((await admin.query(part)).rows)}`)
  const escapes = existsSync('/tmp')
    ? readdirSync('/tmp').filter((name) => name.startsWith('fleet-corpus-'))
    : []
  return [...lines, escapes.join()].join('\n')
}

/** A closed connection takes a moment to be gone. */
async function settled(admin: Client): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const { rows } = await admin.query<{ n: string }>(
      "select count(*) as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    )
    if (rows[0]?.n === '0') return
    await systemClock.sleep(20)
  }
}
