import type { Store } from '@fleet/store'
import { changeClaimed, listAllRoles, roleLockName, type RoleRow } from '#/nodes/api.ts'

const PHASES: Readonly<Record<string, string>> = { provisioning: 'converge', removing: 'remove' }

/**
 * For the start of a gateway: claims whose role lock nobody holds belong to a process that is dead, so they end as
 * failed and the identical request resumes at once instead of after 11 minutes. Returns how many there were. The
 * Router's belong to the lock of its Cluster and stay.
 */
export async function closeInterruptedRoles(store: Store): Promise<number> {
  const claims = (await listAllRoles(store.db)).filter((row) => row.role !== 'router' && isClaim(row))
  let closed = 0
  for (const claim of claims) {
    if (await store.locks.holderOf(roleLockName(claim.node_id))) continue
    const failed_step = `${PHASES[claim.status] ?? claim.status}:interrupted`
    const outcome = { status: 'failed', failed_step, error_code: 'activity.interrupted' } as const
    if (await changeClaimed(store.db, claim, { ...outcome, claimed_at: null })) closed += 1
  }
  return closed
}

const isClaim = ({ status }: RoleRow): boolean => Object.hasOwn(PHASES, status)
