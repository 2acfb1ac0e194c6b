import { fail } from '@fleet/contract'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import type { CheckoutPlace } from '#/instances/commands/checkout-script.ts'
import { directoryProblem, stepFailed } from '#/instances/steps/directory-problem.ts'
import { examineTransfer } from '#/instances/transfer/commands/transfer-source.ts'

/** Refuses a checkout that needs something outside of it. Changes nothing. */
export async function requireMovable(source: CheckoutSession, place: CheckoutPlace): Promise<void> {
  const details = nodeDetail(source.session)
  const { word } = await source.session.ask(examineTransfer, place, { broken: stepFailed('examine') })
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
  if (word !== 'movable') throw directoryProblem(source, word)
}
