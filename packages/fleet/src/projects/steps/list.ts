import type { LifecycleStepData } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { StepHandler } from '#/projects/steps/handler.ts'
import { requireProject } from '#/projects/locks.ts'
import { presentStep } from '#/projects/present.ts'
import { listSteps } from '#/projects/queries.ts'
import type { StepList } from '#/projects/record.ts'

/** In the order of the run (PRJ-056, PRJ-057). */
export const makeStepList =
  (store: Store, list: StepList): StepHandler<'list', LifecycleStepData[]> =>
  async ({ input, found }) => {
    const project = found?.project ?? (await requireProject(store, input.project))
    return { data: (await listSteps(store.db, project.id, list)).map(presentStep) }
  }
