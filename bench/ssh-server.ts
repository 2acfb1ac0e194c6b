import { execFile } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SshKey, SshTarget } from '@fleet/ssh'
import { sshdMissing, startSshd, startTestNode } from '@fleet/testing'

export const execute = promisify(execFile)

/** Where the commands of a benchmark run: OpenSSH's server where it is installed, else our own. */
export interface SshServer extends AsyncDisposable {
  readonly name: string
  readonly target: SshTarget
  readonly key: SshKey
  /** HOME of its commands. */
  readonly home: string
  /** Words before the host and the command of OpenSSH's client programs; undefined without OpenSSH. */
  readonly openssh: readonly string[] | undefined
}

export async function startSshServer(): Promise<SshServer> {
  if (sshdMissing !== undefined) {
    const node = await startTestNode()
    const { target, key } = node
    return {
      name: 'embedded Node',
      target,
      key,
      home: node.home,
      openssh: undefined,
      [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
    }
  }
  const sshd = await startSshd()
  const { target, key } = sshd
  const identity = join(sshd.directory, 'client_key')
  // A key of its own: OpenSSH's client does not read the form in which ours is kept.
  await execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', identity])
  appendFileSync(join(sshd.directory, 'authorized_keys'), readFileSync(`${identity}.pub`))
  const options = [
    'IdentitiesOnly=yes',
    'BatchMode=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
  ]
  return {
    name: 'OpenSSH sshd',
    target,
    key,
    home: sshd.directory,
    openssh: ['-F', '/dev/null', '-i', identity, ...options.flatMap((option) => ['-o', option])],
    [Symbol.asyncDispose]: () => sshd[Symbol.asyncDispose](),
  }
}
