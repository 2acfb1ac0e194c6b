import type { LifecycleStepData } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { StepHandler } from '#/projects/steps/handler.ts'
import { presentStep } from '#/projects/present.ts'
import { deleteStep } from '#/projects/queries.ts'
import type { StepList } from '#/projects/record.ts'
import { changingList, reorder, requireStep } from '#/projects/steps/list-of.ts'

/** Answers the removed step; those behind it move up. */
export const makeStepDestroy =
  (store: Store, list: StepList): StepHandler<'destroy', LifecycleStepData> =>
  async ({ call, input }) => {
    call.note.property('step', input.step)
    return changingList(store, input.project, list, async (db, steps) => {
      const step = requireStep(steps, input.step)
      await deleteStep(db, step.id)
      const rest = steps.filter((other) => other.id !== step.id)
      await reorder(
        db,
        rest,
        rest.map((other) => other.name),
      )
      return { data: presentStep(step) }
    })
  }
