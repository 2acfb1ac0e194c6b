import { fail, type InputOf, type LifecycleStepData, STEP_LIMITS } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import type { StepHandler } from '#/projects/steps/handler.ts'
import { presentStep } from '#/projects/present.ts'
import { insertStep } from '#/projects/queries.ts'
import type { StepList, StepRecord } from '#/projects/record.ts'
import { changingList, reorder } from '#/projects/steps/list-of.ts'
import { isPlaced, placed, requireListFits, requirePlace } from '#/projects/steps/order.ts'

type Input = InputOf<'project:setup-step:create'>

/** An exact repeat answers the stored step; another step of the name is a conflict (PRJ-058). */
export const makeStepCreate =
  (store: Store, clock: Clock, list: StepList): StepHandler<'create', LifecycleStepData> =>
  async ({ call, input }) => {
    requirePlace(input.name, input)
    call.note.property('step', input.name)
    return changingList(store, input.project, list, async (db, steps) => {
      const known = steps.find((step) => step.name === input.name)
      if (known) return { data: presentStep(repeatedOrRefuse(steps, known, input)), created: false }
      const added = await add(
        db,
        steps,
        { ...rowOf(input, list), created_at: clock.now().toISOString() },
        input,
      )
      return { data: presentStep(added), created: true }
    })
  }

function repeatedOrRefuse(steps: readonly StepRecord[], known: StepRecord, input: Input): StepRecord {
  const names = steps.map((step) => step.name)
  const isSame =
    known.command === input.command &&
    known.timeout_seconds === (input.timeout_seconds ?? STEP_LIMITS.timeoutDefaultSeconds) &&
    (!isPlaced(input) || placed(names, known.name, input).indexOf(known.name) === names.indexOf(known.name))
  if (!isSame) throw fail('lifecycle_step.name_taken', { details: { step: known.name } })
  return known
}

const rowOf = (input: Input, list: StepList): Omit<StepRecord, 'id' | 'position' | 'created_at'> => ({
  project_id: input.project,
  list,
  name: input.name,
  command: input.command,
  timeout_seconds: input.timeout_seconds ?? STEP_LIMITS.timeoutDefaultSeconds,
})

async function add(
  db: Database,
  steps: readonly StepRecord[],
  row: Omit<StepRecord, 'id' | 'position'>,
  place: Input,
): Promise<StepRecord> {
  requireListFits([...steps, row])
  const names = placed(
    steps.map((step) => step.name),
    row.name,
    place,
  )
  await reorder(db, steps, names)
  const position = names.indexOf(row.name) + 1
  return { ...row, position, id: await insertStep(db, { ...row, position }) }
}
