import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import { makeRoleChecks } from '#/roles/checks/make.ts'
import type { RolesDeps } from '#/roles/deps.ts'
import { makeRoleAdd } from '#/roles/role-add.ts'
import { makeRoleList } from '#/roles/role-list.ts'
import { makeRoleRelocate } from '#/roles/role-relocate.ts'
import { makeRoleRemove } from '#/roles/role-remove.ts'
import { makeRoleServices, type RoleServices } from '#/roles/services.ts'
import type { RoleOperationDeps } from '#/roles/subject.ts'

export interface RolesDomain {
  readonly services: RoleServices
  readonly checks: FamilyChecks
}

export const makeRoles = (deps: RolesDeps): RolesDomain => ({
  services: makeRoleServices(deps),
  checks: makeRoleChecks(deps),
})

export type RoleHandlers = HandlersOf<
  'node:role:list' | 'node:role:add' | 'node:role:remove' | 'node:role:relocate'
>

/** Everything that happens under the role lock of a Node. */
export const makeRoleHandlers = (deps: RoleOperationDeps): RoleHandlers => ({
  'node:role:list': makeRoleList(deps.store),
  'node:role:add': makeRoleAdd(deps),
  'node:role:remove': makeRoleRemove(deps),
  'node:role:relocate': makeRoleRelocate(deps),
})
