import type { ToolOperationName } from '@fleet/contract'
import { columnsLog, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import { outcomeOf } from '#/tools/failure.ts'
import { updateTool } from '#/tools/queries.ts'
import type { ToolWork } from '#/tools/steps/work.ts'

/** What stopped the work, in the record itself; the recorded version stays (TOOL-004, TOOL-025). */
export const failureLog = (
  { deps, row }: Pick<ToolWork, 'deps' | 'row'>,
  failed_operation: ToolOperationName,
): StepLog =>
  columnsLog<{ readonly error_code: string }>({
    on: { failed: (_step, cause) => ({ error_code: codeOf(cause) }) },
    write: async ({ error_code }) => {
      const outcome = error_code === undefined ? null : outcomeOf(error_code)
      await updateTool(deps.store.db, row.id, {
        status: 'failed',
        failed_operation,
        error_code: error_code ?? null,
        outcome,
      })
    },
  })
