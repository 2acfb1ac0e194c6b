import { type RoleName, roleNames } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { type Check, type CheckedResource, type Finding, roleLockName, stored } from '#/nodes/api.ts'
import { isStaleClaim } from '#/roles/claims.ts'
import type { Assignment } from '#/roles/queries.ts'
import { conflictWith, isSingleton } from '#/roles/rules.ts'

export interface RecordFacts {
  readonly store: Pick<Store, 'locks'>
  readonly clock: Clock
  /** Every assignment of the fleet. */
  readonly all: readonly Assignment[]
}

export const roleResource = ({ id, role }: Assignment): CheckedResource => ({ type: 'role', id, name: role })

/** Checks of one assignment by the records alone (DRF-029, DRF-036, DRF-037). */
export function recordChecks(facts: RecordFacts, assignment: Assignment): readonly Check[] {
  const resource = roleResource(assignment)
  return [
    stored('role.lifecycle_not_active', resource, () => lifecycle(facts, assignment)),
    stored('role.claim_stale', resource, async () =>
      (await isStale(facts, assignment))
        ? { expected: 'held', observed: assignment.status === 'removing' ? 'stale removal' : 'stale' }
        : undefined,
    ),
    stored('role.assignment_conflict', resource, () => conflict(facts, assignment)),
    ...(isSingleton(nameOf(assignment))
      ? [stored('role.singleton_conflict', resource, () => more(sameRole(facts, assignment)))]
      : []),
    ...(isOfCluster(assignment)
      ? [
          stored('role.cluster_ownership_mismatch', resource, () =>
            assignment.cluster_id === null ? { expected: 'in a Cluster', observed: 'in none' } : undefined,
          ),
          stored('role.cluster_cardinality_conflict', resource, () => inCluster(facts, assignment)),
        ]
      : []),
  ]
}

/** An abandoned claim is reported as such and by nothing else. */
async function lifecycle(facts: RecordFacts, assignment: Assignment): Promise<Finding | undefined> {
  const { status } = assignment
  if (status === 'active' || (await isStale(facts, assignment))) return undefined
  const isRemoval = status === 'failed' && assignment.failed_step?.startsWith('remove:') === true
  return { expected: 'active', observed: isRemoval ? 'removal failed' : status }
}

/** The Router's claims belong to the lock of its Cluster and have no time. */
async function isStale({ store, clock }: RecordFacts, assignment: Assignment): Promise<boolean> {
  const isClaim = assignment.status === 'provisioning' || assignment.status === 'removing'
  if (!isClaim || assignment.role === 'router' || !isStaleClaim(assignment, clock.now())) return false
  return (await store.locks.holderOf(roleLockName(assignment.node_id))) === undefined
}

/** Reported once, at the later of the two in the catalogue (ROLE-014). */
function conflict({ all }: RecordFacts, { node_id, role }: Assignment): Finding | undefined {
  const held = all.filter((other) => other.node_id === node_id).map(nameOf)
  const earlier = roleNames.slice(0, roleNames.indexOf(nameOf({ role })))
  const other = conflictWith(
    nameOf({ role }),
    earlier.filter((name) => held.includes(name)),
  )
  return other && { expected: 'one of the two', observed: `${other} and ${role}` }
}

const sameRole = ({ all }: RecordFacts, { role }: Assignment): readonly Assignment[] =>
  all.filter((other) => other.role === role && isHolder(other))

const inCluster = (facts: RecordFacts, assignment: Assignment): Finding | undefined =>
  assignment.cluster_id === null
    ? undefined
    : more(sameRole(facts, assignment).filter(({ cluster_id }) => cluster_id === assignment.cluster_id))

const more = ({ length }: readonly Assignment[]): Finding | undefined =>
  length > 1 ? { expected: '1', observed: String(length) } : undefined

/** What is being taken away, or failed, holds nothing any more (RTX, role holders). */
const isHolder = ({ status }: Assignment): boolean => status === 'active' || status === 'provisioning'

const isOfCluster = ({ role }: Assignment): boolean => role === 'router' || role === 'ingress'

const nameOf = ({ role }: Pick<Assignment, 'role'>): RoleName => role
