import { type InputOf, invalid, type LifecycleStepData } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { StepHandler } from '#/projects/steps/handler.ts'
import { presentStep } from '#/projects/present.ts'
import { updateStep } from '#/projects/queries.ts'
import type { StepList, StepRecord } from '#/projects/record.ts'
import { changingList, reorder, requireStep } from '#/projects/steps/list-of.ts'
import { isPlaced, placed, requireListFits, requirePlace } from '#/projects/steps/order.ts'

type Input = InputOf<'project:setup-step:update'>

/** Changes the command or the time, or moves the step; runs that have begun keep the list they read. */
export const makeStepUpdate =
  (store: Store, list: StepList): StepHandler<'update', LifecycleStepData> =>
  async ({ call, input }) => {
    requireMembers(input)
    requirePlace(input.step, input)
    call.note.property('step', input.step)
    return changingList(store, input.project, list, async (db, steps) => {
      const step = requireStep(steps, input.step)
      const changed = { ...step, ...changesOf(input) }
      requireListFits(steps.map((other) => (other.id === step.id ? changed : other)))
      const names = steps.map((other) => other.name)
      const order = isPlaced(input) ? placed(names, step.name, input) : names
      await reorder(db, steps, order)
      await updateStep(db, step.id, { command: changed.command, timeout_seconds: changed.timeout_seconds })
      return { data: presentStep({ ...changed, position: order.indexOf(step.name) + 1 }) }
    })
  }

function requireMembers({ command, timeout_seconds, before, after }: Input): void {
  if ([command, timeout_seconds, before, after].every((member) => member === undefined)) {
    throw invalid({ body: ['must contain at least one member to change'] })
  }
}

const changesOf = ({ command, timeout_seconds }: Input): Partial<StepRecord> => ({
  ...(command === undefined ? {} : { command }),
  ...(timeout_seconds === undefined ? {} : { timeout_seconds }),
})
