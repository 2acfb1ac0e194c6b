import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from '../../lab/index.ts'
import { waitFor } from '../../lab/wait.ts'
import type { RealEngine } from './engine-images.ts'

const BACK_SECONDS = 90

/** The container of a server by its slug, whichever Process it is. */
export const containerOf = async (host: Host, slug: string): Promise<string> => {
  const listed = await host.run(['docker', 'ps', '--all', '--format', '{{.Names}}'])
  return listed.split('\n').find((name) => new RegExp(`^orbit-process-\\d+-${slug}$`).test(name)) ?? ''
}

const VARIABLE = /^(?:MARIADB_ROOT_PASSWORD|POSTGRES_PASSWORD)=(.+)$/m

/** The root password of a server, from the definition of its first container, if there is one while the request runs. */
export async function passwordDuring(
  host: Host,
  slug: string,
  request: Promise<unknown>,
): Promise<string | undefined> {
  const over = new AbortController()
  const end = (): void => over.abort()
  void request.then(end, end)
  const format = '{{range .Config.Env}}{{println .}}{{end}}'
  while (!over.signal.aborted) {
    const name = await containerOf(host, slug)
    const { stdout } = await host.attempt(['docker', 'inspect', '--format', format, name, `${name}-new`])
    const [, password] = VARIABLE.exec(stdout) ?? []
    if (password !== undefined) return password
    await pause(100)
  }
  return undefined
}

/** A server with the password of its root. */
export interface Rooted {
  readonly slug: string
  readonly engine: RealEngine
  readonly password: string
}

/** Rows of a statement of root's. The password is on standard input, as Fleet gives it. */
export async function asRoot(
  host: Host,
  server: Rooted,
  sql: string,
  database = '',
): Promise<readonly string[]> {
  const inside =
    server.engine === 'pgsql'
      ? 'IFS= read -r PGPASSWORD; export PGPASSWORD; exec psql -XAtq -v ON_ERROR_STOP=1 -h 127.0.0.1 -U postgres -d "${1:-postgres}"'
      : 'IFS= read -r MYSQL_PWD; export MYSQL_PWD; exec mariadb -h127.0.0.1 --protocol=tcp -uroot -N -B $1'
  const words = [
    'docker',
    'exec',
    '-i',
    await containerOf(host, server.slug),
    'sh',
    '-c',
    inside,
    'sh',
    database,
  ] as const
  const rows = await host.run(words, { input: `${server.password}\n${sql}\n`, timeoutSeconds: 300 })
  return rows.split('\n').filter((row) => row !== '')
}

/** Databases and users of a server that it did not begin with. */
export async function onServer(host: Host, server: Rooted): Promise<readonly string[]> {
  const list =
    server.engine === 'pgsql'
      ? "SELECT 'database ' || datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' UNION ALL SELECT 'user ' || rolname FROM pg_roles WHERE rolcanlogin AND rolname <> 'postgres';"
      : "SELECT CONCAT('database ', schema_name) FROM information_schema.schemata WHERE schema_name NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema') UNION ALL SELECT CONCAT('user ', user) FROM mysql.user WHERE user NOT IN ('root', 'mariadb.sys', 'PUBLIC') AND host = '%';"
  return (await asRoot(host, server, list)).toSorted()
}

/** Until the container of a server answers again after its Node has lost its power. */
export async function answersAgain(host: Host, server: Rooted): Promise<void> {
  const answers = async (): Promise<true | undefined> => {
    try {
      await asRoot(host, server, 'SELECT 1;')
      return true
    } catch {
      return undefined
    }
  }
  assert.equal(await waitFor(BACK_SECONDS, answers), true, `${server.slug} does not come back`)
}
