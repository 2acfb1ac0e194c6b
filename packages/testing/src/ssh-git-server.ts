import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { git } from './git-server.ts'
import { startKeyedSshd } from './sshd.ts'

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
  const server = await startKeyedSshd()
  const { directory, port } = server
  for (const name of repositories) makeRepository(join(directory, `${name}.git`))
  const onlyGit = makeOnlyGit(directory)
  return {
    urlOf: (name) => `ssh://${userInfo().username}@127.0.0.1:${port}${directory}/${name}.git`,
    pathOf: (name) => join(directory, `${name}.git`),
    port,
    get fingerprint() {
      return server.fingerprint
    },
    accept: (...publicKeys) => server.accept(publicKeys.map((key) => `restrict,command="${onlyGit}" ${key}`)),
    changeHostKey: () => server.changeHostKey(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** As a Git host does: whatever the client asks for, Git is all it gets. */
function makeOnlyGit(directory: string): string {
  const path = join(directory, 'git-only')
  const text =
    '#!/bin/sh\ncase $SSH_ORIGINAL_COMMAND in git-upload-pack*) eval "exec $SSH_ORIGINAL_COMMAND" ;; esac\nexit 1\n'
  writeFileSync(path, text, { mode: 0o755 })
  return path
}

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
}
