import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { act, type ApplyDeps, ensureArtifact, noteValues } from '#/processes/apply.ts'
import { checkAccount } from '#/processes/commands/account.ts'
import type { ReadyProcess } from '#/processes/connections/values.ts'
import { updateRow } from '#/processes/queries.ts'
import { markStarted } from '#/processes/sleep/mark-started.ts'
import type { ProcessRecord } from '#/processes/record.ts'

export interface Creation {
  readonly deps: ApplyDeps
  readonly call: Call
  readonly session: NodeSession
  readonly process: ReadyProcess
  /** All Processes of a moved Instance are installed in turn: whoever does that marks the Instance at the end. */
  readonly isOneOfAll?: true
}

const account: Step<Creation> = {
  name: 'account',
  run: async ({ session, process }) => {
    if (process.account !== null) await session.ask(checkAccount, process.account)
  },
}

const unit: Step<Creation> = {
  name: 'unit',
  run: async ({ deps, session, process }) => void (await ensureArtifact(deps, session, process)),
}

const start: Step<Creation> = {
  name: 'start',
  run: async ({ deps, session, process, isOneOfAll }) => {
    if (process.desired_state !== 'running') return
    await act(deps, session, process, 'start')
    if (!isOneOfAll) await markStarted(deps, session, process)
  },
}

const activate: Step<Creation> = {
  name: 'activate',
  run: async ({ deps, process }) => {
    await updateRow(deps.store.db, process.id, { status: 'active', failed_step: null, error_code: null })
    if (process.desired_state === 'stopped') await noteValues(deps, process)
  },
}

/** From the stored record to the unit that runs as desired. What failed stays on the record, and the identical request resumes. */
export const processCreation = stepList<Creation>(
  'process-creation',
  () => [account, unit, start, activate],
  {
    forwardOnly: true,
  },
)

export const createUnit = async (creation: Creation): Promise<void> =>
  void (await performSteps(processCreation, creation, {
    call: creation.call,
    // What fails where its Instance moves stays active, so that the repeated transfer installs it and not another request.
    log: failureLog(creation, creation.isOneOfAll ? {} : { status: 'failed' }),
  }))

/** Step and code that stopped the work, in the record itself. */
export const failureLog = (
  { deps, process }: { readonly deps: Pick<ApplyDeps, 'store'>; readonly process: Pick<ProcessRecord, 'id'> },
  given: { readonly status?: 'failed' } = {},
): StepLog =>
  columnsLog<{ readonly failed_step: string; readonly error_code: string }>({
    on: { failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }) },
    write: (failure) => updateRow(deps.store.db, process.id, { ...given, ...failure }),
  })
