import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { generateSshKey, type SshKey, type SshTarget } from '@fleet/ssh'

const PROGRAM = '/usr/sbin/sshd'

/** Why no OpenSSH server can run here; undefined when it can. */
export const sshdMissing = existsSync(PROGRAM) ? undefined : `no ${PROGRAM} on this machine`

/** A real OpenSSH server on loopback, in which the current user may log in with the key. */
export interface TestSshd extends AsyncDisposable {
  readonly target: SshTarget
  readonly key: SshKey
  /** A folder of its own, gone afterwards. */
  readonly directory: string
}

/** The same, with keys that change while it runs. */
export interface KeyedSshd extends AsyncDisposable {
  readonly directory: string
  readonly port: number
  readonly fingerprint: string
  /** The lines of `authorized_keys` from now on. */
  accept(lines: readonly string[]): void
  /** Another host key from now on. Answers its fingerprint. */
  changeHostKey(): Promise<string>
}

/** Starts it with keys and configuration of its own, as the current user. Throws when it does not come up. */
export async function startSshd(): Promise<TestSshd> {
  const server = await startKeyedSshd()
  const key = generateSshKey()
  server.accept([key.publicKey])
  const { directory, port, fingerprint } = server
  return {
    target: { nodeId: 1, host: '127.0.0.1', port, user: userInfo().username, fingerprint },
    key,
    directory,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Starts it without a key that may log in. Throws when it does not come up. */
export async function startKeyedSshd(): Promise<KeyedSshd> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-sshd-'))
  const port = await freePort()
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(directory, name), `${lines.join('\n')}\n`, { mode: 0o600 })
  const start = (key: SshKey): Promise<ChildProcess> => {
    write('host_key', [key.privateKey.reveal()])
    return startServer(join(directory, 'sshd_config'))
  }
  write('authorized_keys', [])
  write('sshd_config', configuration(directory, port))
  let host = generateSshKey()
  let child = await start(host)
  return {
    directory,
    port,
    get fingerprint() {
      return host.fingerprint
    },
    accept: (lines) => write('authorized_keys', lines),
    changeHostKey: async () => {
      await ended(child)
      host = generateSshKey()
      child = await start(host)
      return host.fingerprint
    },
    [Symbol.asyncDispose]: async () => {
      await ended(child)
      rmSync(directory, { recursive: true })
    },
  }
}

const configuration = (directory: string, port: number): readonly string[] => [
  'ListenAddress 127.0.0.1',
  `Port ${port}`,
  `HostKey ${directory}/host_key`,
  `AuthorizedKeysFile ${directory}/authorized_keys`,
  'PidFile none',
  'StrictModes no',
  'UsePAM no',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'PermitRootLogin prohibit-password',
  // A start-up file of whoever runs the tests could print, or take a tenth of a second, at every command.
  `SetEnv HOME=${directory}`,
]

async function startServer(config: string): Promise<ChildProcess> {
  // Where systemd has not made it, sshd refuses to start as root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const child = spawn(PROGRAM, ['-D', '-e', '-f', config])
  await listening(child)
  return child
}

async function ended(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await closed
}

/** When the server says that it listens. Throws when it ends first. */
const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Server listening')) resolve()
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`sshd ended at once: ${said}`)))
  })
