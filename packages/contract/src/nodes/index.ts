import { nodeAccessAdd } from './access-add.ts'
import { nodeAccessRemove } from './access-remove.ts'
import * as excludedProjects from './excluded-projects.ts'
import { nodeList } from './list.ts'
import { nodeRename } from './rename.ts'
import { nodeRoleList } from './role-list.ts'
import { nodeSettingsUpdate } from './settings.ts'
import { nodeShow } from './show.ts'

export * from './records.ts'
export const nodeOperations = {
  nodeList,
  nodeShow,
  nodeRename,
  nodeSettingsUpdate,
  nodeAccessAdd,
  nodeAccessRemove,
  nodeRoleList,
  ...excludedProjects,
}
