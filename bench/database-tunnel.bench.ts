// The first read of a database behind a Node, connection to the Node included, beside `ssh -L` and the driver by hand.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { openDatabases } from '@fleet/database-access'
import { Secret, systemClock, systemIds } from '@fleet/kernel'
import { createSshPool } from '@fleet/ssh'
import { freePort } from '@fleet/testing/free-port'
import { Client } from 'pg'
import { measure, median, type Report, sideBySide } from './measure.ts'
import { type ScramPostgres, startScramPostgres } from './servers/scram-postgres.ts'
import { type SshServer, startSshServer } from './ssh-server.ts'

const RUNS = 40

export async function* run(): AsyncGenerator<Report> {
  await using database = await startScramPostgres()
  await using server = await startSshServer()
  const { openssh } = server
  if (openssh === undefined) {
    yield { bench: 'database-tunnel', skipped: 'no OpenSSH on this machine' }
    return
  }
  const cold = await sideBySide(
    RUNS,
    () => throughPool(server, database),
    () => byHand(server, openssh, database),
  )
  yield measure('database-tunnel', 'ms', median(cold.ours), 'ssh -L and pg by hand, p50', median(cold.theirs))
}

/** A connection to the Node of its own, a channel, one judged read. */
async function throughPool({ target, key }: SshServer, database: ScramPostgres): Promise<void> {
  await using pool = createSshPool({ privateKey: key.privateKey, clock: systemClock })
  const limits = { timeoutMilliseconds: 30_000, lifetimeMilliseconds: 30_000 }
  await openDatabases({ clock: systemClock, ids: systemIds }).query(
    {
      engine: 'pgsql',
      open: (signal) =>
        pool.forward(target, { host: database.host, port: database.port }, { ...limits, signal }),
      username: database.user,
      password: new Secret(database.password),
      database: database.database,
    },
    { sql: 'select 1', write: false },
  )
}

async function byHand(
  { target }: SshServer,
  openssh: readonly string[],
  { host, port: to, user, password, database }: ScramPostgres,
): Promise<void> {
  const port = await freePort()
  const words = ['-p', String(target.port), '-N', '-L', `127.0.0.1:${port}:${host}:${to}`]
  const ssh = spawn('ssh', [...openssh, ...words, `${target.user}@${target.host}`], { stdio: 'ignore' })
  try {
    while (!(await listens(port))) await setTimeout(2)
    const client = new Client({ host: '127.0.0.1', port, user, password, database })
    await client.connect()
    await client.query('select 1')
    await client.end()
  } finally {
    ssh.kill()
    await once(ssh, 'exit')
  }
}

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
