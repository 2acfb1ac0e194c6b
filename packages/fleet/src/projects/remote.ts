import { fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { isShortcoming, unreadableMessage } from '#/projects/git-reason.ts'
import { type RemoteGit, type RemoteSource, RemoteUnreadable } from '#/projects/ports.ts'

/** The given branch when the remote has it, else the remote's default. Throws `project.default_branch_unavailable` (PRJ-032). */
export async function requireBranch(
  git: RemoteGit,
  call: Call,
  source: RemoteSource,
  branch: string | undefined,
): Promise<string> {
  try {
    if (branch === undefined) return await git.defaultBranch(source, call.signal)
    if (await git.hasBranch(source, branch, call.signal)) return branch
  } catch (error) {
    if (error instanceof RemoteUnreadable) throw unreadable(error)
    throw error
  }
  throw unavailable({ reason: 'branch_missing', branch })
}

/** Throws `github.cli_unauthenticated` for a source that needs the login and has none (PRJ-038). */
export async function requireLogin(git: RemoteGit, call: Call, { access }: RemoteSource): Promise<void> {
  if (access === 'gh_cli' && !(await hasLogin(git, call.signal))) throw fail('github.cli_unauthenticated')
}

async function hasLogin(git: RemoteGit, signal: AbortSignal): Promise<boolean> {
  try {
    return await git.hasGithubLogin(signal)
  } catch (error) {
    if (error instanceof RemoteUnreadable) return false
    throw error
  }
}

const unreadable = (cause: RemoteUnreadable): CodedError => {
  const { gitReason } = cause
  if (gitReason === undefined) return unavailable({ reason: 'remote_unreadable' }, cause)
  return fail('project.default_branch_unavailable', {
    message: unreadableMessage('by the gateway', gitReason),
    details: {
      reason: isShortcoming(gitReason) ? 'no_default_branch' : 'remote_unreadable',
      git_reason: gitReason,
    },
    cause,
  })
}

const unavailable = (details: Readonly<Record<string, unknown>>, cause?: unknown): CodedError =>
  fail('project.default_branch_unavailable', { details, cause })
