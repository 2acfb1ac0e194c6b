import type { Store } from '@fleet/store'
import type { StepHandler } from '#/projects/steps/handler.ts'
import type { ListKind } from '#/projects/steps/kinds.ts'
import { deleteStep } from '#/projects/queries.ts'
import { changingList, reorder, requireStep } from '#/projects/steps/list-of.ts'

/** Answers the removed step; those behind it move up. */
export const makeStepDestroy =
  <T>(store: Store, kind: ListKind<T>): StepHandler<'destroy', T> =>
  async ({ call, input }) => {
    call.note.property('step', input.step)
    return changingList(store, input.project, kind.list, async (db, steps) => {
      const step = requireStep(steps, input.step, kind)
      await deleteStep(db, step.id)
      const rest = steps.filter((other) => other.id !== step.id)
      await reorder(
        db,
        rest,
        rest.map((other) => other.name),
      )
      return { data: kind.present(step) }
    })
  }
