import { fail } from '@fleet/contract'
import { type Step, type StepFailure, stepList } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { nodeDetail, type NodeRecord, type NodeSession, silentCode } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { type ApplyDeps, removeArtifact } from '#/processes/apply.ts'
import { deleteRow, insertResidue, updateRow } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { followSite } from '#/processes/sleep/follow-site.ts'
import { wakeIfCold } from '#/processes/sleep/mark-started.ts'
import { failureLog } from '#/processes/steps/creation.ts'
import { artifactNameOf } from '#/processes/unit.ts'

export interface ProcessRemoval {
  readonly deps: ApplyDeps
  readonly call: Call
  readonly process: ProcessRecord
  /** Undefined for a Node that is skipped. */
  readonly session: NodeSession | undefined
}

const retire: Step<ProcessRemoval> = {
  name: 'retire',
  run: ({ deps, process }) =>
    updateRow(deps.store.db, process.id, { status: 'removing', desired_state: 'stopped' }),
}

const unit: Step<ProcessRemoval> = {
  name: 'unit',
  run: async ({ deps, process, session }) => {
    if (!session) return
    try {
      await removeArtifact(deps, session, process)
    } catch (error) {
      if (!isForeign(error) || !isNeverInstalled(process)) throw error
    }
  },
}

/** Whether something that is not of the Process has its name on the Node. */
export const isForeign = (error: unknown): boolean => FOREIGN.has(codeOf(error))

/** Codes of that, as they are recorded too. */
export const FOREIGN: ReadonlySet<string | null> = new Set([
  'process.unit_conflict',
  'process.container_conflict',
])

/** What has its name on the Node was there before it, so the Process has nothing there. */
const isNeverInstalled = ({ observed_status, status, error_code }: ProcessRecord): boolean =>
  observed_status === null && (status === 'creating' || FOREIGN.has(error_code))

const forget: Step<ProcessRemoval> = {
  name: 'forget',
  run: async ({ deps, process, session }) => {
    const { store, clock } = deps
    if (session) await wakeIfCold(deps, session, process)
    await store.transaction(async (tx) => {
      const { id, name, runtime, node } = process
      const created_at = clock.now().toISOString()
      if (!session) await insertResidue(tx, { node_id: node.id, process_id: id, name, runtime, created_at })
      await deleteRow(tx, id)
      await followSite({ store, clock }, tx, process)
    })
  },
}

/** The unit before its record: nothing runs on a Node of which no record knows. */
export const processRemoval = stepList<ProcessRemoval>('process-removal', () => [retire, unit, forget], {
  forwardOnly: true,
})

/** The unit or container that stays on a Node which was skipped. Throws `process.node_unreachable` and those of the steps. */
export async function removeProcess(removal: ProcessRemoval) {
  const { call, process, session } = removal
  const { node } = process
  await performSteps(processRemoval, removal, {
    call,
    log: failureLog(removal),
    errorOf: (failure) => unreachableOr(failure, node),
  })
  return session ? [] : [{ node_id: node.id, node: node.name, unit: artifactNameOf(process) }]
}

function unreachableOr({ step, cause }: Pick<StepFailure, 'step' | 'cause'>, node: NodeRecord): unknown {
  const code = silentCode(cause)
  if (code === undefined) return cause
  return fail('process.node_unreachable', {
    message: `The Node ${node.name} does not answer. Repeat when it does, or remove the Process with \`--offline\`, which leaves its unit until the Node is back.`,
    details: { ...nodeDetail(node), step, error_code: code },
    cause,
  })
}
