import { fail } from '@fleet/contract'
import type { Clock } from '@fleet/kernel'
import type { Database, Store } from '@fleet/store'
import type { StepHandler, StepInput } from '#/projects/steps/handler.ts'
import type { ListKind } from '#/projects/steps/kinds.ts'
import { insertStep } from '#/projects/queries.ts'
import type { StepRecord } from '#/projects/record.ts'
import { changingList, reorder } from '#/projects/steps/list-of.ts'
import { isPlaced, placed, requireListFits, requirePlace } from '#/projects/steps/order.ts'

type Input = StepInput<'create'>
type NewStep = Omit<StepRecord, 'id' | 'position'>

/** An exact repeat answers the stored step; another step of the name is a conflict (PRJ-058). */
export const makeStepCreate =
  <T>(store: Store, clock: Clock, kind: ListKind<T>): StepHandler<'create', T> =>
  async ({ call, input }) => {
    requirePlace(input.name, input)
    call.note.property('step', input.name)
    return changingList(store, input.project, kind.list, async (db, steps) => {
      const row = rowOf(input, kind, clock)
      const known = steps.find((step) => step.name === input.name)
      if (known)
        return { data: kind.present(repeatedOrRefuse(steps, known, row, input, kind)), created: false }
      return { data: kind.present(await add(db, steps, row, input, kind)), created: true }
    })
  }

function repeatedOrRefuse<T>(
  steps: readonly StepRecord[],
  known: StepRecord,
  row: NewStep,
  input: Input,
  { nameTaken, notFound }: ListKind<T>,
): StepRecord {
  const names = steps.map((step) => step.name)
  const isSame =
    known.command === row.command &&
    known.timeout_seconds === row.timeout_seconds &&
    known.required === row.required &&
    (!isPlaced(input) ||
      placed(names, known.name, input, notFound).indexOf(known.name) === names.indexOf(known.name))
  if (!isSame) throw fail(nameTaken, { details: { step: known.name } })
  return known
}

const rowOf = <T>(input: Input, { list, limits }: ListKind<T>, clock: Clock): NewStep => ({
  project_id: input.project,
  list,
  name: input.name,
  command: input.command,
  timeout_seconds: input.timeout_seconds ?? limits.timeoutDefaultSeconds,
  required: input.required === false ? 0 : 1,
  created_at: clock.now().toISOString(),
})

async function add<T>(
  db: Database,
  steps: readonly StepRecord[],
  row: NewStep,
  place: Input,
  { limits, notFound }: ListKind<T>,
): Promise<StepRecord> {
  requireListFits([...steps, row], limits)
  const names = placed(
    steps.map((step) => step.name),
    row.name,
    place,
    notFound,
  )
  await reorder(db, steps, names)
  const position = names.indexOf(row.name) + 1
  return { ...row, position, id: await insertStep(db, { ...row, position }) }
}
