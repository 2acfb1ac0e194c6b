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
import type { SchedulesParts } from '#/schedules/parts.ts'
import { countOfNode, rowsOfInstance } from '#/schedules/queries.ts'
import { removalKind } from '#/schedules/removal-kind.ts'
import { makeRun } from '#/schedules/run.ts'
import { makeShow } from '#/schedules/show.ts'
import type { WorkKind } from '#/work/api.ts'

export interface SchedulesDomain {
  readonly handlers: HandlersOf<`schedule:${'list' | 'create' | 'show' | 'run' | 'activate' | 'logs' | 'destroy' | 'complete'}`>
  readonly locators: ScheduleLocators
  /** What the removal of an Instance does with its Schedules. */
  readonly runtime: InstanceRuntime
  /** What a production Instance gets of its Project's definitions. */
  /** Whether one has the Instance as its target. */
  hasTarget(instanceId: number): Promise<boolean>
  readonly definitions: InstanceDefinitions
  readonly artifact: NodeArtifact
  readonly checks: FamilyChecks
  /** What finishes removals that wait for a run. */
  readonly workKinds: readonly WorkKind[]
  /** Schedules that a Node owns itself. */
  countOn(nodeId: number): Promise<number>
}

/** Commands that Nodes run at the times of a calendar, for Instances or for the Nodes themselves. */
export const makeSchedules = (parts: SchedulesParts): SchedulesDomain => ({
  handlers: {
    'schedule:list': makeList(parts),
    'schedule:create': makeCreate(parts),
    'schedule:show': makeShow(parts),
    'schedule:run': makeRun(parts),
    'schedule:activate': makeActivate(parts),
    'schedule:logs': makeLogs(parts),
    'schedule:destroy': makeDestroy(parts),
    'schedule:complete': makeComplete(parts),
  },
  locators: makeScheduleLocators(parts),
  runtime: makeInstanceRuntime(parts),
  hasTarget: async (id) => (await rowsOfInstance(parts.store.db, id)).length > 0,
  definitions: makeScheduleCopies(parts),
  artifact: makeSchedulesArtifact(parts),
  checks: makeScheduleChecks(parts),
  workKinds: [removalKind(parts)],
  countOn: (nodeId) => countOfNode(parts.store.db, nodeId),
})
