import type { HandlersOf } from '#/handler.ts'
import { makeConverge } from '#/nodes/footprint/converge.ts'
import { makeRoleAdd } from '#/nodes/roles/role-add.ts'
import { makeRoleRelocate } from '#/nodes/roles/role-relocate.ts'
import { makeRoleRemove } from '#/nodes/roles/role-remove.ts'
import type { RoleOperationParts } from '#/nodes/roles/subject.ts'

export type RoleHandlers = HandlersOf<
  'node:role:add' | 'node:role:remove' | 'node:role:relocate' | 'node:converge'
>

/** Everything that happens under the role lock of a Node. */
export const makeRoleHandlers = (parts: RoleOperationParts): RoleHandlers => ({
  'node:role:add': makeRoleAdd(parts),
  'node:role:remove': makeRoleRemove(parts),
  'node:role:relocate': makeRoleRelocate(parts),
  'node:converge': makeConverge(parts),
})
