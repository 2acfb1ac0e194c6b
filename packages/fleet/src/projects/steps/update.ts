import type { Store } from '@fleet/store'
import type { StepHandler, StepInput } from '#/projects/steps/handler.ts'
import type { ListKind } from '#/projects/steps/kinds.ts'
import { updateStep } from '#/projects/queries.ts'
import type { StepRecord } from '#/projects/record.ts'
import { changingList, reorder, requireStep } from '#/projects/steps/list-of.ts'
import { isPlaced, placed, requireChange, requireListFits, requirePlace } from '#/projects/steps/order.ts'

type Input = StepInput<'update'>

/** Changes the command or the time, or moves the step; runs that have begun keep the list they read. */
export const makeStepUpdate =
  <T>(store: Store, kind: ListKind<T>): StepHandler<'update', T> =>
  async ({ call, input }) => {
    requireChange([input.command, input.timeout_seconds, input.required, input.before, input.after])
    requirePlace(input.step, input)
    call.note.property('step', input.step)
    return changingList(store, input.project, kind.list, async (db, steps) => {
      const step = requireStep(steps, input.step, kind)
      const changed = { ...step, ...changesOf(input) }
      requireListFits(
        steps.map((other) => (other.id === step.id ? changed : other)),
        kind.limits,
      )
      const names = steps.map((other) => other.name)
      const order = isPlaced(input) ? placed(names, step.name, input, kind.notFound) : names
      await reorder(db, steps, order)
      const { command, timeout_seconds, required } = changed
      await updateStep(db, step.id, { command, timeout_seconds, required })
      return { data: kind.present({ ...changed, position: order.indexOf(step.name) + 1 }) }
    })
  }

const changesOf = ({ command, timeout_seconds, required }: Input): Partial<StepRecord> => ({
  ...(command === undefined ? {} : { command }),
  ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
  ...(required === undefined ? {} : { required: required ? 1 : 0 }),
})
