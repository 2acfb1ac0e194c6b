import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAccess, openDatabases, type ServerTarget } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { type Connection, createConnection } from 'mysql2/promise'
import { readSetup } from './corpus.ts'

/** A MariaDB server of its own with the objects of the corpus. */
export interface MariadbWorld extends AsyncDisposable {
  readonly databases: DatabaseAccess
  readonly target: ServerTarget
  /** Certificate in PEM that signed the one of the server, which is for `db`. */
  readonly authority: string
  /** A client of ours beside what is tested. */
  readonly admin: Connection
  /** Everything that a read must not change, as text. */
  fingerprint(): Promise<string>
  /** Ends the server, does something meanwhile, and starts it again on its data. `admin` is another client afterwards. */
  restart(meanwhile: () => Promise<void>): Promise<void>
}

export const PASSWORD = 'horse/Battery+Staple 7'
// `nobody` of Debian: the server refuses to run as root.
const NOBODY = 65534

const installed = (program: string): string | undefined =>
  ['/usr/bin', '/usr/sbin', '/usr/local/bin']
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))

/** Why there is no server on this machine, or undefined. */
export const missingMariadb = (): string | undefined =>
  ['mariadbd', 'mariadb-install-db', 'my_print_defaults'].every((name) => installed(name))
    ? undefined
    : 'no MariaDB on this machine: apt-get install mariadb-server-core mariadb-client-core'

export async function startMariadbWorld(): Promise<MariadbWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-mariadb-'))
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (asUser.uid !== undefined) chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o755)
  const socketPath = join(folder, 's')
  const { authority, options } = await certificates(folder)
  install(folder, asUser)
  const start = (): ChildProcess => serve({ folder, socket: socketPath, asUser, options })
  let server = start()
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
  }
  const end = async (): Promise<void> => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    let admin = await prepare(socketPath)
    return {
      databases: openDatabases({ clock: systemClock, ids: systemIds }),
      target: targetOf(socketPath),
      authority,
      get admin() {
        return admin
      },
      fingerprint: () => fingerprint(admin),
      restart: async (meanwhile) => {
        await admin.end()
        await stop()
        await meanwhile()
        server = start()
        admin = await patiently(() => clientOf(socketPath))
      },
      [Symbol.asyncDispose]: async () => {
        await admin.end()
        await end()
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** A certificate for `db` and the options with which the server uses it. */
async function certificates(folder: string): Promise<{ authority: string; options: readonly string[] }> {
  const root = await ensureRoot({ directory: join(folder, 'ca'), clock: systemClock, name: 'Test root' })
  const leaf = await issueLeaf(root, { clock: systemClock, names: ['db'], addresses: [] })
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(cert, leaf.certificate)
  writeFileSync(key, leaf.key.reveal())
  return { authority: root.certificate, options: [`--ssl-cert=${cert}`, `--ssl-key=${key}`] }
}

interface Serving {
  readonly folder: string
  readonly socket: string
  readonly asUser: { readonly uid?: number; readonly gid?: number }
  readonly options: readonly string[]
}

function install(folder: string, asUser: Serving['asUser']): void {
  const words = [
    `--datadir=${join(folder, 'data')}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]
  const made = spawnSync(installed('mariadb-install-db') ?? '', ['--no-defaults', ...words], {
    ...asUser,
    cwd: folder,
  })
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stderr.toString()}`)
}

function serve({ folder, socket, asUser, options: more }: Serving): ChildProcess {
  const data = join(folder, 'data')
  const options = [
    ...more,
    `--datadir=${data}`,
    `--socket=${socket}`,
    '--skip-networking',
    '--innodb-flush-log-at-trx-commit=0',
  ]
  return spawn(installed('mariadbd') ?? '', ['--no-defaults', ...options], {
    ...asUser,
    cwd: folder,
    stdio: 'ignore',
  })
}

async function prepare(socketPath: string): Promise<Connection> {
  const first = await patiently(() => createConnection({ socketPath, user: 'root' }))
  await first.query('create database corpus')
  await first.query(`alter user root@localhost identified by '${PASSWORD}'`)
  await first.end()
  const admin = await clientOf(socketPath)
  for (const statement of readSetup('mariadb').split(/;\n(?=create|insert|alter|$)/))
    if (statement.trim() !== '') await admin.query(statement)
  return admin
}

const clientOf = (socketPath: string): Promise<Connection> =>
  createConnection({ socketPath, user: 'root', password: PASSWORD, database: 'corpus' })

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await work()
    } catch (error) {
      if (tries > 600) throw error
      await systemClock.sleep(50)
    }
}

const targetOf = (path: string): ServerTarget => ({
  engine: 'mysql',
  open: () =>
    new Promise((resolve, reject) => {
      const socket = connect(path, () => resolve(socket))
      socket.once('error', reject)
    }),
  username: 'root',
  password: new Secret(PASSWORD),
  database: 'corpus',
})

const PARTS = [
  'checksum table t, u, log, my_isam, parted',
  'select table_name, table_type, engine, create_time, check_time from information_schema.tables where table_schema = "corpus" order by 1',
  'select column_name, column_type from information_schema.columns where table_schema = "corpus" order by table_name, 1',
  'select routine_name, md5(routine_definition), last_altered from information_schema.routines where routine_schema = "corpus" order by 1',
  'select event_name, status from information_schema.events order by 1',
  'select table_name, view_definition from information_schema.views where table_schema = "corpus" order by 1',
  'select next_not_cached_value from s',
  'select * from mysql.global_priv order by 1, 2',
  'select count(*) from mysql.func',
  'select count(*) from mysql.servers',
  'select schema_name from information_schema.schemata order by 1',
  'select plugin_name, plugin_status from information_schema.plugins order by 1',
  'select is_used_lock("corpus")',
  'select count(*) from information_schema.processlist where command <> "Daemon" and id <> connection_id()',
  'select count(*) from information_schema.innodb_trx where trx_mysql_thread_id <> connection_id()',
  'select variable_name, variable_value from information_schema.global_variables where variable_name not regexp "timestamp|insert_id|gtid|rand_seed|innodb_buffer|identity|pseudo|error_count|warning_count|last_" order by 1',
]

async function fingerprint(admin: Connection): Promise<string> {
  await settled(admin)
  const lines: string[] = []
  for (const part of PARTS)
    lines.push(`${part.slice(0, 50)}: ${JSON.stringify((await admin.query(part))[0])}`)
  return [
    ...lines,
    readdirSync('/tmp')
      .filter((name) => name.startsWith('fleet-corpus-'))
      .join(),
  ].join('\n')
}

async function settled(admin: Connection): Promise<void> {
  const others =
    'select id from information_schema.processlist where command <> "Daemon" and id <> connection_id()'
  for (let tries = 0; tries < 500; tries += 1) {
    const [rows] = await admin.query(others)
    if (Array.isArray(rows) && rows.length === 0) return
    await systemClock.sleep(20)
  }
}
