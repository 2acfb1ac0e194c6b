import type { Store } from '@fleet/store'
import type { StepHandler } from '#/projects/steps/handler.ts'
import { requireProject } from '#/projects/locks.ts'
import type { ListKind } from '#/projects/steps/kinds.ts'
import { listSteps } from '#/projects/queries.ts'

/** In the order of the run (PRJ-056, PRJ-057). */
export const makeStepList =
  <T>(store: Store, { list, present }: ListKind<T>): StepHandler<'list', T[]> =>
  async ({ input, found }) => {
    const project = found?.project ?? (await requireProject(store, input.project))
    return { data: (await listSteps(store.db, project.id, list)).map(present) }
  }
