import { homedir } from 'node:os'
import { Secret } from '@fleet/kernel'
import { type Command, run, script, withStdin } from '@fleet/shell'
import { type CommandResult, runLocally, SshFailure } from '@fleet/ssh'
import { type GitReason, gitReason } from '#/projects/git-reason.ts'
import { type RemoteGit, RemoteUnreadable } from '#/projects/ports.ts'
import { isBranchName } from '#/projects/source-rules.ts'
import { READ_REMOTE, type SourceLogin } from '#/source-host/api.ts'

const TIMEOUT_MILLISECONDS = 30_000
// `git ls-remote` of two patterns; a remote that sends more is no Git remote.
const OUTPUT_MAX_BYTES = 64 * 1024
/** Exit status of `git ls-remote --exit-code` when no reference matches. */
const NO_MATCH = 2

// Nobody is there to be asked, and no other transport may start a program of the URL's choice.
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'https:ssh',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=15',
} as const

/** Reads remotes with the `git` of this machine. The given variables are added to its environment and win. */
export function makeRemoteGit(environment: Readonly<Record<string, string>> = {}): RemoteGit {
  const env = { ...ENVIRONMENT, HOME: homedir(), ...environment }
  const ask = (command: Command, signal: AbortSignal): Promise<CommandResult> =>
    runLocally(command, {
      cwd: '/',
      env,
      timeoutMilliseconds: TIMEOUT_MILLISECONDS,
      maxOutputBytes: OUTPUT_MAX_BYTES,
      signal,
    })
  /** A repository with more branches than an answer may hold has some. */
  const isEmpty = async (login: SourceLogin, signal: AbortSignal): Promise<boolean> => {
    try {
      const { exitCode } = await ask(lsRemote(login, ['--exit-code', '--heads'], '*'), signal)
      return exitCode === NO_MATCH
    } catch (error) {
      if (error instanceof SshFailure) return false
      throw error
    }
  }
  return {
    defaultBranch: async (login, signal) => {
      const { exitCode, stdout, stderr } = await answered(ask(lsRemote(login, ['--symref'], 'HEAD'), signal))
      if (exitCode !== 0) throw refusedWith(stderr)
      const branch = headBranch(stdout)
      if (branch !== undefined) return branch
      if (/\tHEAD$/m.test(stdout.toString('utf8'))) throw lacking('detached_head')
      throw lacking((await isEmpty(login, signal)) ? 'empty' : 'head_without_branch')
    },
    hasBranch: async (login, branch, signal) => {
      if (!isBranchName(branch)) return false
      const reference = `refs/heads/${branch}`
      const { exitCode, stdout, stderr } = await answered(
        ask(lsRemote(login, ['--exit-code'], reference), signal),
      )
      if (exitCode !== 0 && exitCode !== NO_MATCH) throw refusedWith(stderr)
      if (exitCode === NO_MATCH && (await isEmpty(login, signal))) throw lacking('empty')
      // A pattern matches the end of longer names too.
      return lines(stdout).some((line) => line.split('\t')[1] === reference)
    },
    githubToken: (signal) => tokenOf(ask(run('gh', 'auth', 'token', '--hostname', 'github.com'), signal)),
  }
}

// The empty helper drops those of the machine, which may ask a person.
const lsRemote = ({ url, input }: SourceLogin, flags: readonly string[], pattern: string): Command =>
  withStdin(script(READ_REMOTE, '-c', 'credential.helper=', 'ls-remote', ...flags, '--', url, pattern), input)

/** What `gh` printed; undefined where it has no login, or does not answer. */
async function tokenOf(result: Promise<CommandResult>): Promise<Secret | undefined> {
  try {
    const { exitCode, stdout } = await result
    const token = stdout.toString('utf8').trim()
    return exitCode === 0 && /^[\x21-\x7e]+$/.test(token) ? new Secret(token) : undefined
  } catch (error) {
    if (error instanceof SshFailure) return undefined
    throw error
  }
}

/** Time and output failures are the remote's; what it printed stays inside. */
async function answered(result: Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await result
  } catch (error) {
    if (error instanceof SshFailure)
      throw new RemoteUnreadable(`the remote did not answer: ${error.kind}`, {
        gitReason: error.kind === 'timeout' ? 'timeout' : undefined,
        cause: error,
      })
    throw error
  }
}

/** Only the kind of its complaint is kept. */
const refusedWith = (stderr: Buffer): RemoteUnreadable =>
  new RemoteUnreadable('the remote refused', { gitReason: gitReason(stderr.toString('utf8')) })

const lacking = (gitReason: GitReason): RemoteUnreadable =>
  new RemoteUnreadable('the remote has no such branch', { gitReason })

/** `ref: refs/heads/main<TAB>HEAD` */
function headBranch(stdout: Buffer): string | undefined {
  const match = lines(stdout)
    .map((line) => /^ref: refs\/heads\/(.+)\tHEAD$/.exec(line)?.[1])
    .find((branch) => branch !== undefined)
  return match !== undefined && match.length <= 255 && isBranchName(match) ? match : undefined
}

const lines = (stdout: Buffer): readonly string[] => stdout.toString('utf8').split('\n')
