import { toolAdopt } from './adopt.ts'
import { toolInstall } from './install.ts'
import { toolList } from './list.ts'
import { toolManagerList } from './manager-list.ts'
import { toolRemove } from './remove.ts'
import { toolScan } from './scan.ts'
import { toolShow } from './show.ts'
import { toolUpdate } from './update.ts'

export * from './records.ts'
export const toolOperations = {
  toolManagerList,
  toolList,
  toolShow,
  toolInstall,
  toolUpdate,
  toolAdopt,
  toolRemove,
  toolScan,
}
