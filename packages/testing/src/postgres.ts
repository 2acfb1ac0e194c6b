import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { postgresProgram, type RunAs, runAs } from './postgres-program.ts'
import { openTestStore } from './store.ts'
import { prepareServer, templateUrl } from './postgres-databases.ts'

/** A PostgreSQL server of its own, empty, that nobody but this machine's root and its user can reach. */
export interface TestPostgres extends AsyncDisposable {
  /** `postgres://…` for FLEET_TEST_DATABASE_URL or FLEET_DATABASE_URL. */
  readonly url: string
  stop(): Promise<void>
}

const READY = 'database system is ready to accept connections'
// Crash safety costs time and protects nothing here: the data goes when the server stops.
const SETTINGS = [
  'listen_addresses=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'autovacuum=off',
]

/** The programs of a PostgreSQL, for a folder with its data. */
export interface PostgresPrograms {
  /** The words that start one of them. */
  words(program: 'initdb' | 'postgres'): readonly [string, ...string[]]
  /** Who starts them. */
  readonly user: RunAs
}

export interface PostgresServer {
  /** Folder below which the data is made. */
  readonly parent?: string
  /** Such as `listen_addresses=127.0.0.9`; they come after those of every test. */
  readonly settings?: readonly string[]
  /** Absent: those of the npm package. */
  readonly programs?: (directory: string) => PostgresPrograms
  /** Of the user `fleet`, who proves it by `scram-sha-256`. Absent: nobody is asked. */
  readonly password?: string
}

/** Starts PostgreSQL from the npm package within a few seconds, as root or as an ordinary user, with migrated databases. */
export const startPostgres = async (
  parent?: string,
  settings: readonly string[] = [],
): Promise<TestPostgres> =>
  withTemplate(await startBarePostgres({ ...(parent === undefined ? {} : { parent }), settings }))

/** Starts a PostgreSQL that nobody has prepared for tests of the store. */
export async function startBarePostgres(options: PostgresServer = {}): Promise<TestPostgres> {
  const { parent = tmpdir(), settings = [], programs = packagedPrograms } = options
  const directory = mkdtempSync(join(parent, 'fleet-postgres-'))
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  try {
    const { uid, gid } = runAs()
    if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid)
    chmodSync(directory, 0o700)
    const found = programs(directory)
    await initialize(found, directory, options.password)
    const server = await serve(found, directory, settings)
    // Read on and dropped: a full pipe would stop the server.
    server.stderr?.resume()
    return handle(server, directory, remove, options.password)
  } catch (error) {
    remove()
    throw error
  }
}

function packagedPrograms(directory: string): PostgresPrograms {
  const user = runAs()
  const folder = postgresProgram(directory, user)
  return { words: (program) => [join(folder, 'bin', program)], user }
}

const withTemplate = async (postgres: TestPostgres): Promise<TestPostgres> => {
  try {
    await prepareServer(postgres.url)
    const url = templateUrl(postgres.url)
    await using store = await openTestStore({
      database: { ...postgres, dialect: 'postgres', location: { url } },
    })
    // A test may bind its database to another key.
    await store.db.deleteFrom('facts').execute()
    return postgres
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

const handle = (
  server: ChildProcess,
  directory: string,
  remove: () => void,
  password?: string,
): TestPostgres => {
  // A test run that ends without stopping it must not leave a server behind.
  const kill = (): void => void server.kill('SIGQUIT')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit')
    remove()
  }
  const login = password === undefined ? 'fleet' : `fleet:${encodeURIComponent(password)}`
  const url = `postgres://${login}@localhost/postgres?host=${encodeURIComponent(directory)}`
  return { url, stop, [Symbol.asyncDispose]: stop }
}

async function initialize(
  { words, user }: PostgresPrograms,
  directory: string,
  password: string | undefined,
): Promise<void> {
  const login = password === undefined ? ['--auth', 'trust'] : scram(directory, password)
  const options = ['--pgdata', join(directory, 'data'), '--username', 'fleet', '--encoding', 'UTF8', ...login]
  // A database that orders text by language, as most are: an order that must be by bytes has to say so.
  const order = ['--locale', 'C', '--locale-provider', 'icu', '--icu-locale', 'en-US']
  const [program, ...rest] = words('initdb')
  const child = spawn(program, [...rest, ...options, ...order, '--no-sync', '--no-instructions'], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`initdb failed: ${complaints.join('')}`)
}

function scram(directory: string, password: string): readonly string[] {
  const file = join(directory, 'password')
  writeFileSync(file, password)
  const { uid, gid } = runAs()
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
  return ['--auth', 'scram-sha-256', `--pwfile=${file}`]
}

async function serve(
  { words, user }: PostgresPrograms,
  directory: string,
  more: readonly string[],
): Promise<ChildProcess> {
  const settings = [...SETTINGS, `unix_socket_directories=${directory}`, ...more].flatMap((setting) => [
    '-c',
    setting,
  ])
  const [program, ...rest] = words('postgres')
  const child = spawn(program, [...rest, '-D', join(directory, 'data'), ...settings], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line)
    if (!line.includes(READY)) continue
    return child
  }
  throw new Error(`postgres did not start: ${lines.join('\n')}`)
}
