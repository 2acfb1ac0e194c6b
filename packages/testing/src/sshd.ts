import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
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

/** Starts it with keys and configuration of its own, as the current user. Throws when it does not come up. */
export async function startSshd(): Promise<TestSshd> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-sshd-'))
  const [host, key, port, user] = [generateSshKey(), generateSshKey(), await freePort(), userInfo().username]
  const write = (name: string, text: string): void =>
    writeFileSync(join(directory, name), `${text}\n`, { mode: 0o600 })
  write('host_key', host.privateKey.reveal())
  write('authorized_keys', key.publicKey)
  write('sshd_config', configuration(directory, port))
  // Where systemd has not made it, sshd refuses to start as root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const child = spawn(PROGRAM, ['-D', '-e', '-f', join(directory, 'sshd_config')])
  await listening(child)
  return {
    target: { nodeId: 1, host: '127.0.0.1', port, user, fingerprint: host.fingerprint },
    key,
    directory,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      await closed
      rmSync(directory, { recursive: true })
    },
  }
}

const configuration = (directory: string, port: number): string =>
  [
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
  ].join('\n')

/** A port of loopback that nobody uses now. */
export const freePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo // A listening TCP server has an address object.
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** When the server says that it listens. Throws when it ends first. */
export const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('Server listening')) resolve()
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`sshd ended at once: ${said}`)))
  })
