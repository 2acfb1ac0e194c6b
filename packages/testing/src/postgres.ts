import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs'
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

/**
 * Starts PostgreSQL from the npm package within a few seconds, as root or as an ordinary user. Settings such as
 * `listen_addresses=127.0.0.9` come after those of every test.
 */
export async function startPostgres(
  parent: string = tmpdir(),
  more: readonly string[] = [],
): Promise<TestPostgres> {
  const directory = mkdtempSync(join(parent, 'fleet-postgres-'))
  const remove = (): void => rmSync(directory, { recursive: true, force: true })
  try {
    const user = runAs()
    if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid)
    chmodSync(directory, 0o700)
    const program = postgresProgram(directory, user)
    await initialize(program, directory, user)
    const server = await serve(program, directory, user, more)
    // Read on and dropped: a full pipe would stop the server.
    server.stderr?.resume()
    return await withTemplate(handle(server, directory, remove))
  } catch (error) {
    remove()
    throw error
  }
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

const handle = (server: ChildProcess, directory: string, remove: () => void): TestPostgres => {
  // A test run that ends without stopping it must not leave a server behind.
  const kill = (): void => void server.kill('SIGQUIT')
  process.once('exit', kill)
  const stop = async (): Promise<void> => {
    process.off('exit', kill)
    if (server.exitCode === null && server.kill('SIGINT')) await once(server, 'exit')
    remove()
  }
  const url = `postgres://fleet@localhost/postgres?host=${encodeURIComponent(directory)}`
  return { url, stop, [Symbol.asyncDispose]: stop }
}

const initialize = async (program: string, directory: string, user: RunAs): Promise<void> => {
  const words = [
    '--pgdata',
    join(directory, 'data'),
    '--username',
    'fleet',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
  ]
  // A database that orders text by language, as most are: an order that must be by bytes has to say so.
  const order = ['--locale', 'C', '--locale-provider', 'icu', '--icu-locale', 'en-US']
  const child = spawn(
    join(program, 'bin', 'initdb'),
    [...words, ...order, '--no-sync', '--no-instructions'],
    {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const complaints: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`initdb failed: ${complaints.join('')}`)
}

const serve = async (
  program: string,
  directory: string,
  user: RunAs,
  more: readonly string[],
): Promise<ChildProcess> => {
  const settings = [...SETTINGS, `unix_socket_directories=${directory}`, ...more].flatMap((setting) => ['-c', setting])
  const child = spawn(join(program, 'bin', 'postgres'), ['-D', join(directory, 'data'), ...settings], {
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
