import { type ErrorCode, fail } from '@fleet/contract'
import { inspectSource, type SourceFacts, type Unseen } from '#/instances/commands/inspect-source.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import { nodeDetail, type CheckoutSession } from '#/instances/checkout-session.ts'
import type { Projects } from '#/projects/api.ts'
import { ownLogin } from '#/source-host/api.ts'
import { isSameRepository } from '#/instances/repository.ts'
import { KEPT } from './directory-problem.ts'
import { applicationDirectoryOf, placeOf } from './place.ts'

export interface InspectOptions {
  readonly logins: Pick<Projects, 'login'>
  readonly force: boolean
  /** Digest of the local heads that an inspection found safe a moment ago; the origin is asked when absent. */
  readonly safeHeads?: string | undefined
  /** Records the source's identity on the Node under this removal. */
  readonly recordFor?: string | undefined
}

/**
 * Refuses the removal of a source that is not the recorded one (INS-122), whatever the force, and without force of one that
 * holds work only it has (INS-111). Answers the digest of its local heads; undefined when a forced removal finds nothing.
 */
export async function inspect(
  checkout: CheckoutSession,
  row: InstanceRow,
  options: InspectOptions,
): Promise<string | undefined> {
  const { force, safeHeads, recordFor } = options
  const askOrigin = !force && safeHeads === undefined
  const request = {
    ...placeOf(row),
    applicationDirectory: applicationDirectoryOf(row),
    layout: row.source_layout ?? 'checkout',
    asked: askOrigin ? ('ask' as const) : ('skip' as const),
    recordFor,
  }
  const broken = force ? 'instance.force_failed' : 'instance.removal_failed'
  const login = askOrigin
    ? await options.logins.login(checkout.session.call, checkout.project)
    : ownLogin(checkout.project.repository_url)
  const answer = await checkout.session.ask(inspectSource, { ...request, login }, { broken })
  if (answer.word !== 'inspected') return refuseUnseen(checkout, answer.word, force)
  const { facts } = answer
  requireIdentity(checkout, row, facts)
  if (facts.kept !== '') throw keptBy(checkout, facts.kept)
  if (!force) requireNoWork(checkout, row, facts, safeHeads)
  return facts.heads
}

/** Whatever the force: a removal that began would never end. */
const keptBy = ({ session }: CheckoutSession, path: string): Error =>
  fail('instance.source_ownership_mismatch', {
    message: KEPT,
    details: { ...nodeDetail(session), reason: 'foreign_owner', path },
  })

const unseen = {
  absent: 'instance.source_path_mismatch',
  'folder-missing': 'instance.source_path_mismatch',
  'root-missing': 'instance.source_path_mismatch',
  'no-checkout': 'instance.source_path_mismatch',
  layout: 'instance.source_layout_mismatch',
  foreign: 'instance.source_ownership_mismatch',
  unsafe: 'instance.checkout_path_unsafe',
  busy: 'instance.lifecycle_busy',
  'record-failed': 'instance.removal_failed',
} as const satisfies Record<Unseen, ErrorCode>

// A directory that somebody deleted by hand holds nothing to lose; a missing apps root may be a disk that is not mounted.
const refuseUnseen = (checkout: CheckoutSession, word: Unseen, force: boolean): undefined => {
  if (force && (word === 'absent' || word === 'folder-missing')) return undefined
  const code = unseen[word]
  const outcome = word === 'busy' ? { outcome: 'busy' } : {}
  throw fail(force && code === 'instance.removal_failed' ? 'instance.force_failed' : code, {
    details: { ...nodeDetail(checkout.session), ...outcome },
  })
}

const requireIdentity = (checkout: CheckoutSession, row: InstanceRow, facts: SourceFacts): void => {
  const details = nodeDetail(checkout.session)
  if (!isSameRepository(facts.origin, checkout.project))
    throw fail('instance.source_origin_mismatch', { details })
  if (facts.head !== (row.detached ? '' : `refs/heads/${row.selected_branch}`))
    throw otherBranch(checkout, row, facts)
}

/** A linked worktree cannot be recorded with another branch (INS-083). */
const otherBranch = (
  { session }: CheckoutSession,
  { selected_branch: branch, checkout_path: path, detached, source_layout: layout }: InstanceRow,
  { head }: SourceFacts,
): Error => {
  const recorded = detached ? 'no branch' : `the branch \`${branch}\``
  const found = head === '' ? 'no branch' : `\`${head.replace('refs/heads/', '')}\``
  return fail('instance.source_branch_mismatch', {
    message: `The checkout ${path} on the Node ${session.node.name} is on ${found}, and ${recorded} is recorded.`,
    details: {
      ...nodeDetail(session),
      path,
      branch,
      head,
      ...(layout === 'worktree' && !detached ? { reason: 'recorded_branch' } : {}),
    },
  })
}

const requireNoWork = (
  checkout: CheckoutSession,
  row: InstanceRow,
  facts: SourceFacts,
  safeHeads: string | undefined,
): void => {
  const reasons = [
    facts.cleanliness !== 'clean' && (facts.cleanliness === 'stashed' ? 'stashes' : 'uncommitted_work'),
    facts.asked === 'silent' && 'origin_unreachable',
    (facts.lost || (safeHeads !== undefined && facts.heads !== safeHeads)) && 'unpushed_commits',
    facts.nested.length > 0 && 'nested_repositories',
    facts.worktrees > 0 && 'linked_worktrees',
  ].filter((reason) => reason !== false)
  if (reasons.length === 1 && reasons[0] === 'origin_unreachable')
    throw fail('instance.remove_refused', {
      message:
        'The origin of the checkout cannot be read from the Node, so nobody can say whether it has everything that the checkout has. Make it reachable, then repeat the request; or force the removal, which gives up what only the checkout may have.',
      details: { ...nodeDetail(checkout.session), reasons, reason: 'origin_unreachable' },
    })
  if (reasons.length === 0) return
  const isLinkedOnly = reasons.length === 1 && facts.worktrees > 0
  const isNestedOnly = reasons.length === 1 && facts.nested.length > 0
  throw fail('instance.remove_refused', {
    ...(isLinkedOnly ? { message: LINKED } : {}),
    ...(isNestedOnly ? { message: NESTED } : {}),
    details: {
      ...nodeDetail(checkout.session),
      path: row.checkout_path,
      reasons,
      ...(facts.worktrees > 0 ? { worktrees: facts.links } : {}),
      ...(facts.nested.length > 0 ? { repositories: facts.nested } : {}),
      ...(isNestedOnly ? { reason: 'nested_repositories' } : {}),
      ...(isLinkedOnly ? { reason: 'linked_worktrees' } : {}),
    },
  })
}

const NESTED =
  'The checkout has repositories of their own, which the details name, with changes, stashes or commits that their remotes do not have. Commit and push them, or delete them; a forced removal gives them up.'
const LINKED =
  'The repository of this checkout has linked worktrees, which cannot do without it. Remove them first; a forced removal takes the repository from them.'
