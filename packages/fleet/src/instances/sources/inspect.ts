import { fail, type ErrorCode } from '@fleet/contract'
import type { Details } from '@fleet/kernel'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { type FoundUpstream, inspectUpstream } from '#/instances/commands/inspect-upstream.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { isSameRepository } from '#/instances/repository.ts'
import { directoryProblem, gitMissing, stepFailed } from '#/instances/steps/directory-problem.ts'
import { storageRefused } from '#/instances/steps/creation.ts'
import { applicationDirectoryOf, placeOf } from '#/instances/steps/place.ts'
import type { SourceLogin } from '#/source-host/api.ts'
import { type GitReason, type ProjectRecord, requireHostKey, unreadableMessage } from '#/projects/api.ts'

/** What the checkouts of a Project are to follow. */
export interface Following {
  /** As it is stored. */
  readonly project: ProjectRecord
  /** URL of the next repository; undefined where it stays. */
  readonly url: string | undefined
  /** The default branch that the Project gets. */
  readonly branch: string
  /** Of the checkout; undefined where it keeps its branch. */
  readonly switching: { readonly from: string; readonly to: string } | undefined
}

export interface FollowingCheckout {
  /** URL that `origin` has now. */
  readonly origin: string
  /** The next branch exists in the checkout. */
  readonly hasBranch: boolean
  /** It is checked out. */
  readonly isSwitched: boolean
}

/** Changes nothing. See `ProjectCheckouts.inspect`. */
export async function inspect(
  checkout: CheckoutSession,
  row: InstanceRow,
  { project, url, branch, switching }: Following,
  login: SourceLogin,
): Promise<FollowingCheckout> {
  const question = {
    ...placeOf(row),
    login,
    url,
    branch,
    switching,
    applicationDirectory: applicationDirectoryOf(row),
  }
  const found = await checkout.session.ask(inspectUpstream, question, { broken: stepFailed('preflight') })
  if (found.word !== 'inspected') throw refused(checkout, row, found, login)
  const { origin } = found
  if (url !== undefined && (origin.includes('\n') || !isSameRepository(origin, project)))
    throw unable(checkout, row, 'project.repository_preflight_failed', 'origin_mismatch')
  return found
}

/** How errors name the Instance. */
export const instanceDetail = (
  { session }: CheckoutSession,
  { id, name }: Pick<InstanceRow, 'id' | 'name'>,
): Details => ({ ...nodeDetail(session), instance: { id, name } })

/** The origin could not be read, and why. Throws `git.host_key_changed`. */
export function unreadable(
  code: 'project.repository_preflight_failed' | 'project.source_switch_failed',
  details: Details,
  { login, gitReason }: { readonly login: SourceLogin; readonly gitReason: GitReason | undefined },
): Error {
  requireHostKey(login, gitReason)
  return fail(code, {
    message: unreadableMessage('on the Node', gitReason, login),
    details: {
      ...details,
      reason: 'unreadable',
      ...(gitReason === undefined ? {} : { git_reason: gitReason }),
    },
  })
}

const unable = (checkout: CheckoutSession, row: InstanceRow, code: ErrorCode, reason: string): Error =>
  fail(code, { details: { ...instanceDetail(checkout, row), reason } })

function refused(
  checkout: CheckoutSession,
  row: InstanceRow,
  found: Exclude<FoundUpstream, { readonly word: 'inspected' }>,
  login: SourceLogin,
): Error {
  switch (found.word) {
    case 'common':
      return fail('project.repository_unowned_common', { details: instanceDetail(checkout, row) })
    case 'unrelated':
      return unable(checkout, row, 'project.repository_preflight_failed', 'unrelated_history')
    case 'fetch-failed':
      return unreadable('project.repository_preflight_failed', instanceDetail(checkout, row), {
        login,
        gitReason: found.gitReason,
      })
    case 'branch':
      return unable(checkout, row, 'project.source_switch_failed', 'other_branch')
    case 'dirty':
      return unable(checkout, row, 'project.source_switch_failed', 'uncommitted')
    case 'storage-full':
    case 'storage-read-only':
      return storageRefused(checkout, 'preflight', found.word)
    case 'git-missing':
      return gitMissing(checkout)
    case 'folder-missing':
      return fail('project.repository_preflight_failed', {
        message: `There is no checkout of the Instance ${row.name} at ${row.checkout_path} on ${checkout.session.node.name}. Nothing was changed.`,
        details: { ...instanceDetail(checkout, row), reason: 'checkout_missing' },
      })
    case 'foreign':
      return fail('project.repository_preflight_failed', {
        message: `On ${checkout.session.node.name}, ${row.checkout_path} is not the checkout of the Instance ${row.name}. Nothing was changed.`,
        details: { ...instanceDetail(checkout, row), reason: 'checkout_foreign' },
      })
    default:
      return directoryProblem(checkout, found.word)
  }
}
