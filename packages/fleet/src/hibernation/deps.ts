import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import type { Instances } from '#/instances/api.ts'
import type { Nodes } from '#/nodes/api.ts'
import type { SleepingProcesses } from '#/processes/api.ts'
import type { SchedulesDomain } from '#/schedules/api.ts'

/** All in seconds (HIB-001 to HIB-005). */
export interface HibernationSettings {
  /** Without a visit, until the Processes of an Instance are stopped. */
  readonly idleSeconds: number
  /** Without a visit, until its dependencies are removed. */
  readonly dependencyIdleSeconds: number
  readonly sweepSeconds: number
  /** Until the Processes of a woken Instance must be ready. */
  readonly wakeSeconds: number
  /** The same when its dependencies are installed first. */
  readonly coldWakeSeconds: number
}

export const HIBERNATION_DEFAULTS: HibernationSettings = {
  idleSeconds: 3600,
  dependencyIdleSeconds: 604_800,
  sweepSeconds: 600,
  wakeSeconds: 60,
  coldWakeSeconds: 1800,
}

export interface HibernationDeps {
  readonly store: Store
  readonly clock: Clock
  readonly nodes: Pick<Nodes, 'find' | 'sessions'>
  readonly instances: Instances
  readonly processes: SleepingProcesses
  readonly schedules: Pick<SchedulesDomain, 'ofInstance'>
  readonly settings: HibernationSettings
  /** Root folder of every machine; empty but in tests. */
  readonly root?: string
}
