import { columnsLog, type StepLog } from '@fleet/steps'
import type { InstanceQueries, InstanceRow } from '#/instances/queries.ts'

/** Keeps the finished steps of a setup list in the row of its Instance, by name. */
export function setupLog(queries: Pick<InstanceQueries, 'update'>, row: InstanceRow): StepLog {
  let finished: readonly string[] = row.setup_done ?? []
  return columnsLog<Partial<InstanceRow>>({
    done: () => finished,
    on: {
      done: (step) => ({ setup_done: [...finished, step] }),
    },
    write: async (values) => {
      await queries.update(row.id, values)
      finished = values.setup_done ?? finished
    },
  })
}

/** The record of a list that has run to its end. */
export const SETUP_FINISHED = {
  setup: null,
  setup_done: null,
  failed_step: null,
  error_code: null,
} as const satisfies Partial<InstanceRow>
