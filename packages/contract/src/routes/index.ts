import { routeCreate } from './create.ts'
import { routeDestroy } from './destroy.ts'
import { routeList } from './list.ts'
import { routeShow } from './show.ts'
import { routeTargetSet } from './target-set.ts'
import { routeTargetUnset } from './target-unset.ts'
import { routeUpdate } from './update.ts'

export * from './records.ts'
export * from './states.ts'
export const routeOperations = {
  routeList,
  routeShow,
  routeCreate,
  routeUpdate,
  routeDestroy,
  routeTargetSet,
  routeTargetUnset,
}
