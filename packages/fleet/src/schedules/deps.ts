import type { Clock, Ids } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Instances } from '#/instances/api.ts'
import type { ServiceDeps } from '#/managed-services/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { Projects } from '#/projects/api.ts'
import type { SelectedReleases } from '#/schedules/ports.ts'

export interface SchedulesDeps extends ServiceDeps {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly nodes: Nodes
  readonly instances: Instances
  readonly projects: Pick<Projects, 'productionSchedules'>
  readonly releases: SelectedReleases
}
