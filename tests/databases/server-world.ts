import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAccess, openDatabases, type ServerTarget } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { freePort } from '@fleet/testing/free-port'
import { type Connection, createConnection } from 'mysql2/promise'
import { type CorpusName, readSetup } from './corpus.ts'

export type Words = readonly [string, ...string[]]

/** Where a server has its things. */
export interface ServerPlace {
  readonly folder: string
  /** Of the loopback, for a server that listens there. */
  readonly port: number
  readonly data: string
  readonly socket: string
}

/** What one product has of its own. */
export interface ServerKind {
  /** Of its corpora and its setup. */
  readonly name: Extract<CorpusName, `m${string}`>
  /** Its words begin as root and leave it by themselves. */
  readonly leavesRoot?: boolean
  /** The program that makes the files of a server whose root has no password. */
  install(place: ServerPlace): Words
  /** Whether what is tested reaches it by its port, which makes a difference to accounts, or by its socket. */
  readonly listens: boolean
  /** The server; a certificate is added. */
  serve(place: ServerPlace): Words
  /** Statements whose rows no read may change. */
  readonly parts: readonly string[]
}

/** A server of its own with the objects of the corpus. */
export interface ServerWorld extends AsyncDisposable {
  readonly databases: DatabaseAccess
  readonly target: ServerTarget
  /** Of the loopback, for a server that listens there. */
  readonly port: number
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
// `nobody` of Debian: the servers refuse to run as root.
export const NOBODY = 65534

export async function startServerWorld(kind: ServerKind): Promise<ServerWorld> {
  const folder = mkdtempSync(join(tmpdir(), `fleet-${kind.name}-`))
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (asUser.uid !== undefined) chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o755)
  const place = { folder, port: await freePort(), data: join(folder, 'data'), socket: join(folder, 's') }
  const { authority, options } = await certificates(folder)
  const inFolder = { ...(kind.leavesRoot === true ? {} : asUser), cwd: folder }
  install(kind.install(place), inFolder)
  const start = (): ChildProcess => {
    const [program, ...words] = kind.serve(place)
    return spawn(program, [...words, ...options], { ...inFolder, stdio: 'ignore' })
  }
  let server = start()
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
  }
  const end = async (): Promise<void> => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    let admin = await prepare(kind, place.socket)
    return {
      databases: openDatabases({ clock: systemClock, ids: systemIds }),
      target: targetOf(kind.listens ? { port: place.port, host: '127.0.0.1' } : { path: place.socket }),
      port: place.port,
      authority,
      get admin() {
        return admin
      },
      fingerprint: () => fingerprint(admin, kind, place),
      restart: async (meanwhile) => {
        await admin.end()
        await stop()
        await meanwhile()
        server = start()
        admin = await patiently(() => clientOf(place.socket))
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

function install([program, ...words]: Words, options: object): void {
  const { status, stderr } = spawnSync(program, words, { ...options, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
}

async function prepare(kind: ServerKind, socketPath: string): Promise<Connection> {
  const first = await patiently(() => createConnection({ socketPath, user: 'root' }))
  await first.query('create database corpus')
  await first.query(`alter user root@localhost identified by '${PASSWORD}'`)
  await first.end()
  const admin = await clientOf(socketPath)
  for (const statement of readSetup(kind.name).split(/;\n(?=create|insert|alter|install|set|$)/))
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

const targetOf = (at: NetConnectOpts): ServerTarget => ({
  engine: 'mysql',
  open: () =>
    new Promise((resolve, reject) => {
      const socket = connect(at, () => resolve(socket))
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
  'select count(*) from mysql.func',
  'select count(*) from mysql.servers',
  'select schema_name from information_schema.schemata order by 1',
  'select plugin_name, plugin_status from information_schema.plugins order by 1',
  'select is_used_lock("corpus")',
  'select count(*) from information_schema.processlist where command <> "Daemon" and id <> connection_id()',
  'select count(*) from information_schema.innodb_trx where trx_mysql_thread_id <> connection_id()',
]

async function fingerprint(admin: Connection, kind: ServerKind, { data }: ServerPlace): Promise<string> {
  await settled(admin)
  const lines: string[] = []
  for (const part of [...PARTS, ...kind.parts])
    lines.push(`${part.slice(0, 70)}: ${JSON.stringify((await admin.query(part))[0])}`)
  const files = [
    ...readdirSync('/tmp').filter((name) => name.startsWith('fleet-corpus-')),
    ...['', 'corpus', 'mysql'].flatMap((name) => readdirSync(join(data, name))),
  ]
  return [...lines, files.toSorted().join()].join('\n')
}

async function settled(admin: Connection): Promise<void> {
  const others =
    'select id from information_schema.processlist where command <> "Daemon" and id <> connection_id()'
  for (let tries = 0; tries < 2000; tries += 1) {
    const [rows] = await admin.query(others)
    if (Array.isArray(rows) && rows.length === 0) return
    await systemClock.sleep(20)
  }
}
