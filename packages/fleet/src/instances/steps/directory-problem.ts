import { type ErrorCode, fail } from '@fleet/contract'
import type { ReasonCode } from '#/nodes/api.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import type { directoryWords, WithLogin } from '#/instances/commands/checkout-script.ts'
import { type GitReason, requireHostKey, unreadableMessage } from '#/projects/api.ts'

type DirectoryWord = (typeof directoryWords)[number]

/**
 * What a script found instead of the checkout that an Instance has, or is to have. Nothing was changed there; waiting helps
 * only while it is `busy`.
 */
export function directoryProblem(checkout: CheckoutSession, word: DirectoryWord): Error {
  const details = nodeDetail(checkout.session)
  if (word === 'busy') return fail('instance.lifecycle_busy', { details: { ...details, outcome: 'busy' } })
  if (word === 'unsafe') return fail('instance.checkout_path_unsafe', { details })
  if (checkout.isNew) return fail('instance.source_failed', { details: { ...details, step: 'directory' } })
  if (word === 'foreign') return fail('instance.source_ownership_mismatch', { details })
  if (word === 'folder-missing') return fail('instance.source_path_mismatch', { details })
  return fail('instance.source_path_mismatch', {
    message: `On ${checkout.session.node.name} the folder that has the checkouts is not there. If it is on a disk that is not mounted, mount it first.`,
    details,
  })
}

/** The codes of those but for `busy`: a checkout that is gone, is another one or cannot be entered. */
export const isOfOtherCheckout = (code: string): boolean => OTHER_CHECKOUT.has(code)

const OTHER_CHECKOUT: ReadonlySet<string> = new Set<ErrorCode>([
  'instance.checkout_path_unsafe',
  'instance.source_ownership_mismatch',
  'instance.source_path_mismatch',
])

/** What `details.path` of a checkout that cannot be deleted is. */
export const KEPT =
  "The folder in `details.path` belongs to another account, so that the checkout cannot be deleted. Give it to the Node's managed account with `chown -R`, then run the same command again."

export const gitMissing = (checkout: CheckoutSession): Error =>
  fail('node.capability_missing', { details: { ...nodeDetail(checkout.session), capability: 'git' } })

const LFS = {
  'lfs-failed': {
    reason: 'lfs_failed',
    message: 'Git LFS on the Node could not get the content of files that the repository keeps in it.',
  },
  'lfs-missing': {
    reason: 'lfs_missing',
    message: 'The repository keeps files in Git LFS, which the Node does not have.',
  },
} as const

export function lfsRefused(checkout: CheckoutSession, word: keyof typeof LFS): Error {
  const { reason, message } = LFS[word]
  return fail('instance.source_failed', {
    message,
    details: { ...nodeDetail(checkout.session), step: 'checkout', reason },
  })
}

/** The code of an answer that is none. */
export const stepFailed = (step: string): ReasonCode => ({
  code: 'instance.source_failed',
  details: { step },
})

/** What was read, and with what. */
export interface AskedSource extends WithLogin {
  readonly branch: string
  /** From which a branch that the repository does not have is made. */
  readonly defaultBranch?: string
}

/** The repository has neither the branch nor what it would be made from. */
export function branchMissing(checkout: CheckoutSession, { branch, defaultBranch }: AskedSource): Error {
  const details = { ...nodeDetail(checkout.session), step: 'branch', branch }
  if (defaultBranch === undefined)
    return fail('instance.branch_resolution_failed', {
      message: `The repository does not have the branch \`${branch}\`.`,
      details,
    })
  return fail('instance.branch_resolution_failed', {
    message:
      branch === defaultBranch
        ? `The repository does not have \`${branch}\`, the default branch of its Project.`
        : `The repository has neither \`${branch}\` nor the default branch \`${defaultBranch}\` of its Project.`,
    details: { ...details, default_branch: defaultBranch, reason: 'default_branch_missing' },
  })
}

/** The origin could not be read, and why. */
export function fetchFailed(
  checkout: CheckoutSession,
  { branch, login }: AskedSource,
  gitReason: GitReason | undefined,
): Error {
  requireHostKey(login, gitReason)
  return fail('instance.branch_resolution_failed', {
    message: unreadableMessage('on the Node', gitReason, login),
    details: {
      ...nodeDetail(checkout.session),
      step: 'fetch',
      branch,
      ...(gitReason === undefined ? { reason: 'remote_unreadable' } : { git_reason: gitReason }),
    },
  })
}
