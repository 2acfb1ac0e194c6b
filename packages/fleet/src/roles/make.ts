import type { Store } from '@fleet/store'
import type { RoleServices } from '#/nodes/api.ts'
import type { RoleRuntime } from '#/roles/ports.ts'
import { makeRoleServices } from '#/roles/services.ts'

export interface RolesParts {
  readonly store: Store
  readonly runtime: RoleRuntime
}

export interface RolesDomain {
  readonly services: RoleServices
}

export const makeRoles = (parts: RolesParts): RolesDomain => ({ services: makeRoleServices(parts) })
