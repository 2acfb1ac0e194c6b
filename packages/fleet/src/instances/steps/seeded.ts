import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import { type CheckoutSession, nodeDetail } from '#/instances/checkout-session.ts'
import { prepareWorktree } from '#/instances/commands/prepare-checkout.ts'
import { withOperationLock } from '#/instances/locks.ts'
import type { InstanceQueries, InstanceRow, Seed } from '#/instances/queries.ts'
import { wantedBranch } from '#/instances/rules.ts'
import { stepFailed } from './directory-problem.ts'
import { placeOf } from './place.ts'

/** A creation that may start as a linked worktree. */
interface Seeded {
  readonly checkout: CheckoutSession
  readonly queries: Pick<InstanceQueries, 'find'>
  readonly store: Pick<Store, 'locks'>
  readonly row: InstanceRow
}

/** The deployed `default` in whose repository the Instance is to be; undefined when it cannot be there any more. */
async function findSeed({ queries, row }: Pick<Seeded, 'queries' | 'row'>): Promise<Seed | undefined> {
  const main = row.worktree_of === null ? undefined : await queries.find(row.worktree_of)
  return main?.status === 'active' && main.seed_commit !== null
    ? { ...main, seed_commit: main.seed_commit }
    : undefined
}

/** The same for a worktree that is there. */
export async function requireSeed({ checkout, ...given }: Omit<Seeded, 'store'>): Promise<Seed> {
  const seed = await findSeed(given)
  if (seed) return seed
  throw fail('instance.source_failed', { details: { ...nodeDetail(checkout.session), step: 'seed' } })
}

/** An empty linked worktree; `unusable` where the branch is somebody's, or the repository is not what is recorded. */
export async function prepareSeeded(given: Seeded) {
  const { checkout, store, row } = given
  const { session, project } = checkout
  const { worktree_of: id } = row
  if (id === null) return 'unusable'
  return withOperationLock(store, session.call, id, 'instance.lifecycle_busy', async () => {
    const seed = await findSeed(given)
    if (!seed) return 'unusable'
    const branch = wantedBranch({ name: row.name, branch: row.branch_override }, project.default_branch ?? '')
    const request = { ...placeOf(row), main: placeOf(seed), start: seed.seed_commit, branch }
    const { word } = await session.ask(prepareWorktree, request, { broken: stepFailed('prepare') })
    return word
  })
}
