import { setTimeout as pause } from 'node:timers/promises'
import type { Host } from '../../lab/index.ts'
import type { RealEngine } from './engine-images.ts'

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

/** Rows of a statement of root's. The password is on standard input, as Fleet gives it. */
export async function asRoot(
  host: Host,
  server: { readonly slug: string; readonly engine: RealEngine; readonly password: string },
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
