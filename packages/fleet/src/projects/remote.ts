import { fail } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import { type GitReason, isShortcoming, unreadableMessage } from '#/projects/git-reason.ts'
import { type RemoteGit, RemoteUnreadable } from '#/projects/ports.ts'
import { hostKeyChanged, type SourceLogin } from '#/source-host/api.ts'

/**
 * The given branch when the remote has it, else the remote's default. Throws `project.default_branch_unavailable` (PRJ-032) and
 * `git.host_key_changed`.
 */
export async function requireBranch(
  git: RemoteGit,
  call: Call,
  login: SourceLogin,
  branch: string | undefined,
): Promise<string> {
  try {
    if (branch === undefined) return await git.defaultBranch(login, call.signal)
    if (await git.hasBranch(login, branch, call.signal)) return branch
  } catch (error) {
    if (error instanceof RemoteUnreadable) throw unreadable(error, login)
    throw error
  }
  throw fail('project.default_branch_unavailable', {
    message: `The repository has no branch \`${branch ?? ''}\`.`,
    details: { reason: 'branch_missing', branch },
  })
}

/** Undefined for a remote that cannot be read. */
export async function hasBranch(
  git: RemoteGit,
  { signal }: Call,
  login: SourceLogin,
  branch: string,
): Promise<boolean | undefined> {
  try {
    return await git.hasBranch(login, branch, signal)
  } catch (error) {
    if (error instanceof RemoteUnreadable) return undefined
    throw error
  }
}

/** The remote answered, and does not show the repository to this login. */
export const isRefusal = (reason: unknown): boolean => reason === 'authentication' || reason === 'not_found'

/** `git.host_key_changed` where Git found another key than the recorded ones of its login. */
export function requireHostKey(login: SourceLogin, reason: GitReason | undefined): void {
  if (reason === 'host_key' && login.key) throw hostKeyChanged(login.key.host)
}

/** What is thrown for a remote that cannot be read with the login. */
export function unreadable(cause: RemoteUnreadable, login: SourceLogin): CodedError {
  const { gitReason } = cause
  requireHostKey(login, gitReason)
  return fail('project.default_branch_unavailable', {
    message: unreadableMessage('by the gateway', gitReason, login),
    details: {
      reason: gitReason !== undefined && isShortcoming(gitReason) ? 'no_default_branch' : 'remote_unreadable',
      ...(gitReason === undefined ? {} : { git_reason: gitReason }),
    },
    cause,
  })
}
