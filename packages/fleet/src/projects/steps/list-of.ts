import { fail } from '@fleet/contract'
import type { Database, Store } from '@fleet/store'
import type { ListKind } from '#/projects/steps/kinds.ts'
import { listSteps, lockProject, updateStep } from '#/projects/queries.ts'
import type { StepList, StepRecord } from '#/projects/record.ts'

/** Runs the work on the list as it is now; others who change lists of the Project wait for its end. */
export const changingList = <T>(
  store: Store,
  projectId: number,
  list: StepList,
  work: (db: Database, steps: readonly StepRecord[]) => Promise<T>,
): Promise<T> =>
  store.transaction(async (db) => {
    if (!(await lockProject(db, projectId))) throw fail('project.not_found')
    return work(db, await listSteps(db, projectId, list))
  })

export function requireStep(
  steps: readonly StepRecord[],
  name: string,
  { notFound }: Pick<ListKind<unknown>, 'notFound'>,
): StepRecord {
  const step = steps.find((candidate) => candidate.name === name)
  if (!step) throw fail(notFound, { details: { step: name } })
  return step
}

/** Positions from 1 in the order of the names; only rows that move are written. */
export async function reorder(
  db: Database,
  steps: readonly StepRecord[],
  names: readonly string[],
): Promise<void> {
  for (const step of steps) {
    const position = names.indexOf(step.name) + 1
    if (position > 0 && position !== step.position) await updateStep(db, step.id, { position })
  }
}
