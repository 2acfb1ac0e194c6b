import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { FamilyChecks } from '#/nodes/api.ts'
import { machineChecks } from '#/roles/checks/machine.ts'
import { recordChecks } from '#/roles/checks/records.ts'
import { listAssignments } from '#/roles/queries.ts'

export interface RoleCheckDeps {
  readonly store: Store
  readonly clock: Clock
}

/** The assignments of a Node: their records, and what they need on the machine. */
export const makeRoleChecks = ({ store, clock }: RoleCheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, { id }) => {
    const all = await listAssignments(store.db)
    const own = all.filter(({ node_id }) => node_id === id)
    return own.flatMap((assignment) => [
      ...recordChecks({ store, clock, all }, assignment),
      ...machineChecks(assignment),
    ])
  },
})
