import { fail } from '@fleet/contract'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { blockedText } from '#/instances/commands/checking-out.ts'
import { setOrigin } from '#/instances/commands/set-origin.ts'
import { switchBranch } from '#/instances/commands/switch-branch.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { instanceDetail, unreadable } from '#/instances/sources/inspect.ts'
import { directoryProblem, gitMissing, lfsRefused } from '#/instances/steps/directory-problem.ts'
import { applicationDirectoryOf, placeOf } from '#/instances/steps/place.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import type { SourceLogin } from '#/source-host/api.ts'

interface Change {
  readonly project: ProjectRecord
  readonly from: string
  readonly to: string
  /** What somebody has changed since then stays. */
  readonly undoes: boolean
}

export type OriginChange = Change

export interface SwitchedBranch extends Change {
  /** The branch that is left was not in the checkout before. */
  readonly drops: boolean
}

/** See `ProjectCheckouts.leadOrigin`. */
export async function leadOrigin(
  checkout: CheckoutSession,
  row: InstanceRow,
  { from, to, undoes }: OriginChange,
): Promise<void> {
  const details = instanceDetail(checkout, row)
  const { word } = await checkout.session.ask(
    setOrigin,
    { ...placeOf(row), from, to },
    { broken: { code: 'project.repository_origin_failed', details }, cleanup: undoes },
  )
  switch (word) {
    case 'set':
      return
    case 'changed':
      if (undoes) return
      throw fail('project.repository_preflight_failed', {
        details: { ...details, reason: 'origin_mismatch' },
      })
    case 'locked':
    case 'failed':
    case 'storage-full':
    case 'storage-read-only':
      throw fail('project.repository_origin_failed', { details: { ...details, reason: REASONS[word] } })
    case 'git-missing':
      throw gitMissing(checkout)
    default:
      throw directoryProblem(checkout, word)
  }
}

/** See `ProjectCheckouts.switchBranch`. */
export async function switchTo(
  checkout: CheckoutSession,
  row: InstanceRow,
  { from, to, drops, undoes }: SwitchedBranch,
  login: SourceLogin,
): Promise<void> {
  const details = instanceDetail(checkout, row)
  const request = {
    ...placeOf(row),
    login,
    from,
    to,
    drops,
    applicationDirectory: applicationDirectoryOf(row),
  }
  const answer = await checkout.session.ask(switchBranch, request, {
    broken: { code: 'project.source_switch_failed', details },
    cleanup: undoes,
  })
  const { word } = answer
  switch (word) {
    case 'switched':
      return
    case 'in-the-way':
    case 'locked':
      throw fail('project.source_switch_failed', {
        message: blockedText(
          answer,
          { checkoutPath: row.checkout_path, node: checkout.session.node.name },
          { what: `The branch ${to}`, again: 'repeat the request' },
        ),
        details: { ...details, reason: BLOCKED[word], path: answer.path },
      })
    case 'fetch-failed':
      throw unreadable('project.source_switch_failed', details, { login, gitReason: answer.gitReason })
    case 'branch':
    case 'branch-missing':
    case 'dirty':
    case 'failed':
    case 'storage-full':
    case 'storage-read-only':
      // On a third branch by now: somebody works there.
      if (undoes && word === 'branch') return
      throw fail('project.source_switch_failed', { details: { ...details, reason: REASONS[word] } })
    case 'lfs-failed':
    case 'lfs-missing':
      throw lfsRefused(checkout, word)
    case 'git-missing':
      throw gitMissing(checkout)
    default:
      throw directoryProblem(checkout, word)
  }
}

const BLOCKED = { 'in-the-way': 'in_the_way', locked: 'git_locked' } as const

const REASONS = {
  branch: 'other_branch',
  'branch-missing': 'branch_missing',
  dirty: 'uncommitted',
  locked: 'config_locked',
  failed: 'failed',
  'storage-full': 'storage_full',
  'storage-read-only': 'storage_read_only',
} as const
