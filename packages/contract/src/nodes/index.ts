import { nodeAccessAdd } from './access-add.ts'
import { nodeAccessRemove } from './access-remove.ts'
import { nodeAdd } from './add.ts'
import { nodeConverge } from './converge.ts'
import * as excludedProjects from './excluded-projects.ts'
import { nodeList } from './list.ts'
import { nodeResolve } from './resolve.ts'
import { nodeRemove } from './remove.ts'
import { nodeRename } from './rename.ts'
import { nodeRoleAdd } from './role-add.ts'
import { nodeRoleList } from './role-list.ts'
import { nodeRoleRelocate } from './role-relocate.ts'
import { nodeRoleRemove } from './role-remove.ts'
import { nodeSettingsUpdate } from './settings.ts'
import { nodeShow } from './show.ts'

export * from './members.ts'
export * from './records.ts'
export { type NodeRemovalData } from './remove.ts'
export const nodeOperations = {
  nodeList,
  nodeShow,
  nodeResolve,
  nodeAdd,
  nodeRemove,
  nodeRename,
  nodeSettingsUpdate,
  nodeAccessAdd,
  nodeAccessRemove,
  nodeRoleList,
  nodeRoleAdd,
  nodeRoleRemove,
  nodeRoleRelocate,
  nodeConverge,
  ...excludedProjects,
}
