import type { HandlersOf } from '#/handler.ts'
import type { FamilyChecks } from '#/nodes/api.ts'
import { makeRoleChecks } from '#/roles/checks/make.ts'
import type { RolesParts } from '#/roles/parts.ts'
import { makeRoleAdd } from '#/roles/role-add.ts'
import { makeRoleList } from '#/roles/role-list.ts'
import { makeRoleRelocate } from '#/roles/role-relocate.ts'
import { makeRoleRemove } from '#/roles/role-remove.ts'
import { makeRoleServices, type RoleServices } from '#/roles/services.ts'
import type { RoleOperationParts } from '#/roles/subject.ts'

export interface RolesDomain {
  readonly services: RoleServices
  readonly checks: FamilyChecks
}

export const makeRoles = (parts: RolesParts): RolesDomain => ({
  services: makeRoleServices(parts),
  checks: makeRoleChecks(parts),
})

export type RoleHandlers = HandlersOf<
  'node:role:list' | 'node:role:add' | 'node:role:remove' | 'node:role:relocate'
>

/** Everything that happens under the role lock of a Node. */
export const makeRoleHandlers = (parts: RoleOperationParts): RoleHandlers => ({
  'node:role:list': makeRoleList(parts.store),
  'node:role:add': makeRoleAdd(parts),
  'node:role:remove': makeRoleRemove(parts),
  'node:role:relocate': makeRoleRelocate(parts),
})
