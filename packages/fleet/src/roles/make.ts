import type { Store } from '@fleet/store'
import type { Clock } from '@fleet/kernel'
import type { FamilyChecks, RoleServices } from '#/nodes/api.ts'
import { makeRoleChecks } from '#/roles/checks/make.ts'
import type { RoleRuntime } from '#/roles/ports.ts'
import { makeRoleServices } from '#/roles/services.ts'

export interface RolesParts {
  readonly store: Store
  readonly clock: Clock
  readonly runtime: RoleRuntime
}

export interface RolesDomain {
  readonly services: RoleServices
  readonly checks: FamilyChecks
}

export const makeRoles = (parts: RolesParts): RolesDomain => ({
  services: makeRoleServices(parts),
  checks: makeRoleChecks(parts),
})
