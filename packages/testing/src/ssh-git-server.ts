import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { generateSshKey, type SshKey } from '@fleet/ssh'
import { git } from './git-server.ts'
import { freePort, listening } from './sshd.ts'

/** A Git host that only knows its deploy keys. */
export interface SshGitServer extends AsyncDisposable {
  /** `ssh://USER@127.0.0.1:PORT/…/app.git` */
  urlOf(name: string): string
  pathOf(name: string): string
  readonly port: number
  readonly fingerprint: string
  /** The keys that it accepts from now on, as lines of `authorized_keys`. */
  accept(...publicKeys: readonly string[]): void
  /** Another host key from now on. Answers its fingerprint. */
  changeHostKey(): Promise<string>
}

/** Serves bare repositories of the current user over a real OpenSSH server on loopback, to the accepted keys alone. */
export async function startSshGitServer(repositories: readonly string[]): Promise<SshGitServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-ssh-git-'))
  for (const name of repositories) makeRepository(join(folder, `${name}.git`))
  const write = (name: string, text: string): void =>
    writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 })
  const port = await freePort()
  let host = generateSshKey()
  const start = (): Promise<ChildProcess> => {
    write('host_key', host.privateKey.reveal())
    return startServer(join(folder, 'sshd_config'))
  }
  write('authorized_keys', '')
  write('sshd_config', configuration(folder, port))
  let child = await start()
  return {
    urlOf: (name) => `ssh://${userInfo().username}@127.0.0.1:${port}${folder}/${name}.git`,
    pathOf: (name) => join(folder, `${name}.git`),
    port,
    get fingerprint() {
      return host.fingerprint
    },
    accept: (...publicKeys) =>
      write(
        'authorized_keys',
        publicKeys.map((key) => `restrict,command="${onlyGit(folder)}" ${key}`).join('\n'),
      ),
    changeHostKey: async () => {
      await ended(child)
      host = generateSshKey() satisfies SshKey
      child = await start()
      return host.fingerprint
    },
    [Symbol.asyncDispose]: async () => {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// As a Git host does: whatever the client asks for, Git is all it gets.
const onlyGit = (folder: string): string => join(folder, 'git-only')

const makeRepository = (bare: string): void => {
  mkdirSync(bare)
  git(bare, ['init', '-q', '--bare', '-b', 'main'])
  const lines = [
    'commit refs/heads/main',
    'committer Test <test@example.com> 1767322800 +0000',
    'data 5',
    'First',
  ]
  git(
    bare,
    ['fast-import', '--quiet'],
    [...lines, 'M 100644 inline README.md', 'data 4', 'text', ''].join('\n'),
  )
  writeFileSync(
    join(bare, '..', 'git-only'),
    '#!/bin/sh\ncase $SSH_ORIGINAL_COMMAND in git-upload-pack*) eval "exec $SSH_ORIGINAL_COMMAND" ;; esac\nexit 1\n',
    { mode: 0o755 },
  )
}

const configuration = (folder: string, port: number): string =>
  [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${folder}/host_key`,
    `AuthorizedKeysFile ${folder}/authorized_keys`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
    `SetEnv HOME=${folder}`,
  ].join('\n')

async function startServer(config: string): Promise<ChildProcess> {
  // Where systemd has not made it, sshd refuses to start as root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', config])
  await listening(child)
  return child
}

async function ended(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill()
  await closed
}
