import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@fleet/kernel'
import {
  createSshPool,
  generateSshKey,
  type NodeServer,
  type SshKey,
  type SshPool,
  type SshPoolOptions,
  type SshTarget,
  startNodeServer,
} from '@fleet/ssh'

/** A Node on loopback that speaks SSH and runs commands here, with a pool that may log in to it. */
export interface TestNode extends AsyncDisposable {
  readonly home: string
  readonly server: NodeServer
  readonly target: SshTarget
  readonly key: SshKey
  readonly pool: SshPool
  /** The text of a file in the home, once a command has written a whole line into it. */
  lineOf(name: string): Promise<string>
}

/** Starts one with a home and keys of its own. */
export async function startTestNode(options: Partial<SshPoolOptions> = {}): Promise<TestNode> {
  const home = mkdtempSync(join(tmpdir(), 'fleet-node-'))
  const key = generateSshKey()
  const address = { host: '127.0.0.1', user: 'orbit' }
  const access = { hostKey: generateSshKey().privateKey, authorizedKey: key.publicKey }
  const server = await startNodeServer({ ...address, ...access, port: 0, home })
  const pool = createSshPool({ privateKey: key.privateKey, clock: systemClock, ...options })
  return {
    home,
    server,
    key,
    pool,
    target: { nodeId: 1, ...address, port: server.port, fingerprint: server.fingerprint },
    lineOf: (name) => lineOf(join(home, name)),
    [Symbol.asyncDispose]: async () => {
      await pool[Symbol.asyncDispose]()
      await server.close()
      rmSync(home, { recursive: true })
    },
  }
}

/** Resolves when the condition holds, looked at again and again; rejects after half a minute. */
export async function eventually(holds: () => boolean): Promise<void> {
  const end = performance.now() + 30_000
  while (!holds()) {
    if (performance.now() > end) throw new Error('what the test waits for did not happen')
    await systemClock.sleep(5)
  }
}

/** Whether a process of this machine runs; one that ended and waits to be reaped does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = `/proc/${pid}/stat`
  return !existsSync(stat) || !readFileSync(stat, 'utf8').includes(') Z ')
}

const lineOf = async (path: string): Promise<string> => {
  await eventually(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'))
  return readFileSync(path, 'utf8').trim()
}
