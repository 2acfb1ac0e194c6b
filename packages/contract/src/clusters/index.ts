import { clusterCreate } from './create.ts'
import { clusterDestroy } from './destroy.ts'
import { clusterList } from './list.ts'
import { clusterNodeAttach } from './node-attach.ts'
import { clusterNodeDetach } from './node-detach.ts'
import { clusterRouterClear } from './router-clear.ts'
import { clusterRouterSet } from './router-set.ts'
import { clusterShow } from './show.ts'
import { clusterUpdate } from './update.ts'

export * from './records.ts'
export const clusterOperations = {
  clusterList,
  clusterShow,
  clusterCreate,
  clusterUpdate,
  clusterDestroy,
  clusterNodeAttach,
  clusterNodeDetach,
  clusterRouterSet,
  clusterRouterClear,
}
