import type { HandlersOf } from '#/handler.ts'
import type { InstanceDefinitions, InstanceRuntime } from '#/instances/api.ts'
import type { FamilyChecks, NodeArtifact } from '#/nodes/api.ts'
import { makeActivate } from '#/schedules/activate.ts'
import { makeSchedulesArtifact } from '#/schedules/artifact.ts'
import { makeScheduleChecks } from '#/schedules/checks/make.ts'
import { makeComplete } from '#/schedules/complete.ts'
import { makeScheduleCopies } from '#/schedules/copies.ts'
import { makeCreate } from '#/schedules/create.ts'
import { makeDestroy } from '#/schedules/destroy.ts'
import { makeList } from '#/schedules/list.ts'
import { makeScheduleLocators, type ScheduleLocators } from '#/schedules/locators.ts'
import { makeLogs } from '#/schedules/logs.ts'
import { makeInstanceRuntime } from '#/schedules/owned.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { countOfNode, rowsOfInstance } from '#/schedules/queries.ts'
import type { ScheduleRow } from '#/schedules/record.ts'
import { removalKind } from '#/schedules/removal-kind.ts'
import { makeRun } from '#/schedules/run.ts'
import { makeShow } from '#/schedules/show.ts'
import type { WorkKind } from '#/work/api.ts'

export interface SchedulesDomain {
  readonly handlers: HandlersOf<`schedule:${'list' | 'create' | 'show' | 'run' | 'activate' | 'logs' | 'destroy' | 'complete'}`>
  readonly locators: ScheduleLocators
  /** What the removal of an Instance does with its Schedules. */
  readonly runtime: InstanceRuntime
  /** Those that have the Instance as their target. */
  ofInstance(instanceId: number): Promise<readonly Pick<ScheduleRow, 'id' | 'name' | 'desired_timer_state'>[]>
  /** What a production Instance gets of its Project's definitions. */
  readonly definitions: InstanceDefinitions
  readonly artifact: NodeArtifact
  readonly checks: FamilyChecks
  /** What finishes removals that wait for a run. */
  readonly workKinds: readonly WorkKind[]
  /** Schedules that a Node owns itself. */
  countOn(nodeId: number): Promise<number>
}

/** Commands that Nodes run at the times of a calendar, for Instances or for the Nodes themselves. */
export const makeSchedules = (deps: SchedulesDeps): SchedulesDomain => ({
  handlers: {
    'schedule:list': makeList(deps),
    'schedule:create': makeCreate(deps),
    'schedule:show': makeShow(deps),
    'schedule:run': makeRun(deps),
    'schedule:activate': makeActivate(deps),
    'schedule:logs': makeLogs(deps),
    'schedule:destroy': makeDestroy(deps),
    'schedule:complete': makeComplete(deps),
  },
  locators: makeScheduleLocators(deps),
  runtime: makeInstanceRuntime(deps),
  ofInstance: (id) => rowsOfInstance(deps.store.db, id),
  definitions: makeScheduleCopies(deps),
  artifact: makeSchedulesArtifact(deps),
  checks: makeScheduleChecks(deps),
  workKinds: [removalKind(deps)],
  countOn: (nodeId) => countOfNode(deps.store.db, nodeId),
})
