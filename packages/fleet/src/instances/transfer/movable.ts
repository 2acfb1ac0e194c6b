import { fail } from '@fleet/contract'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import type { CheckoutPlace } from '#/instances/commands/checkout-script.ts'
import { storageRefused } from '#/instances/steps/creation.ts'
import { directoryProblem, gitMissing, KEPT, stepFailed } from '#/instances/steps/directory-problem.ts'
import { detachWorktree, examineTransfer } from '#/instances/transfer/commands/transfer-source.ts'

/** Refuses a checkout that needs something outside of it. Changes nothing. */
export async function requireMovable(source: CheckoutSession, place: CheckoutPlace): Promise<void> {
  const details = nodeDetail(source.session)
  const { word, path } = await source.session.ask(examineTransfer, place, { broken: stepFailed('examine') })
  if (word === 'has-worktrees')
    throw fail('instance.source_worktrees_mismatch', {
      message:
        'The checkout has linked worktrees, which do not move with it. Remove them first: `git worktree remove`.',
      details,
    })
  if (word === 'has-alternates')
    throw fail('instance.source_layout_mismatch', {
      message:
        'The checkout borrows objects of another repository, which does not move with it. Copy them first: `git repack -a -d`, then delete `.git/objects/info/alternates`.',
      details,
    })
  if (word === 'inseparable') throw inseparable(source)
  if (word === 'kept')
    throw fail('instance.source_failed', {
      message: KEPT,
      details: { ...details, step: 'examine', reason: 'foreign_owner', path },
    })
  if (word === 'unreadable')
    throw fail('instance.source_failed', {
      message: `The managed account of the Node may not read ${path ?? 'a file of the checkout'}, so it would not come along. Let that account read it (\`chown -R\`, \`chmod\`), or delete it; then run the same command again.`,
      details: { ...details, step: 'examine', reason: 'foreign_owner', path },
    })
  if (word !== 'movable') throw directoryProblem(source, word)
}

/** Whether a linked worktree is one no more: the detachment may have outlived the request that it was for. */
export async function isDetached(source: CheckoutSession, place: CheckoutPlace): Promise<boolean> {
  const found = await source.session.ask(examineTransfer, place, {
    broken: stepFailed('examine'),
    cleanup: true,
  })
  // It may be at work still.
  if (found.word === 'busy') throw directoryProblem(source, found.word)
  return found.isDetached
}

const inseparable = ({ session }: CheckoutSession): Error =>
  fail('instance.source_layout_mismatch', {
    message:
      'The linked worktree cannot get a repository of its own: it has submodules, its repository borrows objects of another one, or that stores references in tables.',
    details: nodeDetail(session),
  })

/** A linked worktree becomes a checkout with all that its repository has: what moves is always one (INS-094). */
export async function detach(source: CheckoutSession, place: CheckoutPlace): Promise<void> {
  const { word } = await source.session.ask(detachWorktree, place, { broken: stepFailed('detach') })
  const details = { ...nodeDetail(source.session), step: 'detach' }
  switch (word) {
    case 'detached':
      return
    case 'inseparable':
      throw inseparable(source)
    case 'changed':
      throw fail('instance.source_changed', { details })
    case 'git-missing':
      throw gitMissing(source)
    case 'storage-full':
    case 'storage-read-only':
      throw storageRefused(source, 'detach', word)
    case 'failed':
      throw fail('instance.source_failed', { details })
    default:
      throw directoryProblem(source, word)
  }
}
