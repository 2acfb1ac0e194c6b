import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@fleet/testing/free-port'
import { Secret } from '@fleet/kernel'
import { eventually, localSession, serviceHost } from '@fleet/testing'
import {
  copyDatabase,
  endCopy,
  runStatements,
  type ServerLogin,
  waitForLogin,
} from '#/databases/servers/commands/server-scripts.ts'
import { statementsOf } from '#/databases/servers/sql/sql.ts'

const ROOT = 'canary-root-0123'
// `nobody` of Debian: both servers refuse to run as root.
const NOBODY = 65534

const programs = {
  // The client beside the server; the program that makes a server's files calls one of its package.
  mariadb: ['mariadb-install-db', 'mariadbd', 'mariadb', 'my_print_defaults'].map(
    (name) => globSync(`/usr/{bin,sbin}/${name}`)[0],
  ),
  pgsql: ['initdb', 'postgres'].map((name) => globSync(`/usr/lib/postgresql/*/bin/${name}`)[0]),
} as const

/** The container of a server has it beside the server. */
export const hasDump = (engine: 'mariadb' | 'pgsql'): boolean =>
  globSync(engine === 'pgsql' ? '/usr/bin/pg_dump' : '/usr/bin/{mariadb-dump,mysqldump}').length > 0

interface Running {
  readonly login: ServerLogin
  /** What a user's own client prints, or undefined when the server refuses. */
  ask(user: string, password: string, database: string, sql: string): string | undefined
  run(sql: string): Promise<readonly string[]>
  copy(from: string, to: string, owner: string, password?: string): Promise<void>
  /** Ends what is still copied into the database. */
  endCopy(database: string): Promise<void>
  /** Kills the server at once, as a power cut does, and starts it again on what is stored. */
  cut(): Promise<void>
}

const lockOf = (database: string) => ({ process: 7, database })

/** The real server on a port of this machine; `docker` runs the client here instead of inside a container. */
export async function running(
  engine: 'mariadb' | 'pgsql',
  work: (server: Running) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-engine-'))
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (asUser.uid !== undefined) chownSync(folder, NOBODY, NOBODY)
  chmodSync(folder, 0o755)
  const port = await freePort()
  let server = serve(engine, folder, port, asUser)
  using host = serviceHost()
  host.install(
    'docker',
    `[ "$1" != info ] || exec echo ${folder}\nwhile [ "$1" != sh ]; do shift; done\nexport MYSQL_TCP_PORT=${port} PGPORT=${port}\nexec "$@"`,
  )
  try {
    const session = localSession(host.pool)
    const login: ServerLogin = { container: 'c', engine, password: new Secret(ROOT) }
    const ready = (): Promise<void> => session.ask(waitForLogin, { login, sql: 'SELECT 1;', seconds: 60 })
    await ready()
    await work({
      login,
      run: (sql) => session.ask(runStatements, { login, sql }),
      cut: async () => {
        server.kill('SIGKILL')
        await once(server, 'exit')
        // What the killed server had started still ends, and no other one starts before that.
        await eventually(() => {
          if (server.exitCode !== null || server.signalCode !== null)
            server = serve(engine, folder, port, asUser)
          return spawnSync('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]).status === 0
        })
        await ready()
      },
      copy: (from, to, owner, password = 'two') =>
        session.ask(copyDatabase, {
          login,
          lock: lockOf(to),
          from,
          to,
          owner,
          ownerPassword: new Secret(password),
        }),
      endCopy: (database) =>
        session.ask(endCopy, {
          login,
          lock: lockOf(database),
          sql: statementsOf(engine).sessions(database),
        }),
      ask: (user, password, database, sql) => {
        const words =
          engine === 'pgsql'
            ? [
                'psql',
                '-XAtq',
                '-v',
                'ON_ERROR_STOP=1',
                '-h',
                '127.0.0.1',
                '-p',
                `${port}`,
                '-U',
                user,
                '-d',
                database,
              ]
            : ['mariadb', '-h127.0.0.1', `-P${port}`, `-u${user}`, '-N', '-B', database]
        const env = { PATH: '/usr/bin:/bin', PGPASSWORD: password, MYSQL_PWD: password }
        const [program = '', ...rest] = words
        const { status, stdout } = spawnSync(program, rest, { input: sql, env })
        return status === 0 ? stdout.toString().trim() : undefined
      },
    })
  } finally {
    if (server.exitCode === null && server.kill('SIGQUIT')) await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

function serve(engine: 'mariadb' | 'pgsql', folder: string, port: number, asUser: object): ChildProcess {
  const [install = '', program = ''] = programs[engine]
  const data = join(folder, 'data')
  const secret = join(folder, 'secret')
  const options = { ...asUser, cwd: folder, stdio: 'ignore' } as const
  if (engine === 'pgsql') {
    writeFileSync(secret, ROOT)
    const made = ['-D', data, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${secret}`, '--no-sync']
    if (!existsSync(data)) assert.equal(spawnSync(install, made, options).status, 0)
    const given = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      'fsync=off',
    ]
    return spawn(program, ['-D', data, ...given.flatMap((each) => ['-c', each])], options)
  }
  writeFileSync(
    secret,
    `ALTER USER root@localhost IDENTIFIED BY '${ROOT}';\nDELETE FROM mysql.global_priv WHERE User = '';\nFLUSH PRIVILEGES;\n`,
  )
  const made = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal']
  if (!existsSync(data)) assert.equal(spawnSync(install, made, options).status, 0)
  const given = [`--datadir=${data}`, `--port=${port}`, '--bind-address=127.0.0.1', `--init-file=${secret}`]
  return spawn(program, ['--no-defaults', `--socket=${join(folder, 's')}`, ...given], options)
}

export const isMissing = (engine: keyof typeof programs): boolean =>
  programs[engine].some((path) => path === undefined || !existsSync(path))
