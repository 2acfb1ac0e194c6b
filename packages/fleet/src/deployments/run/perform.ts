import { type DeploymentFailure, type DeploymentLine, type ErrorCode, fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { requireNode } from '#/deployments/find.ts'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { presentDeployment } from '#/deployments/present.ts'
import { type DeploymentRow, insertDeployment, updateDeployment } from '#/deployments/queries.ts'
import type { Phases, Progress, Run } from '#/deployments/run/context.ts'
import { causeOf, codeOfAbort, codeOfFailure, FAILED_IN } from '#/deployments/run/failure.ts'
import { DeploymentJournal } from '#/deployments/run/journal.ts'
import { maskOfOutput } from '#/deployments/run/output-mask.ts'
import { storeServed } from '#/deployments/served.ts'
import { endUnended } from '#/deployments/settle.ts'
import { type InstanceRecord, isProduction, requireNoTransfer } from '#/instances/api.ts'
import type { Outcome } from '#/handler.ts'

/** What a request runs on an Instance, as the Instance is once nothing else runs on it. */
export interface Request<I extends InstanceRecord> {
  /** As the request found it. */
  readonly seen: InstanceRecord
  /** Any other Instance is a failed result (DEPL-023). */
  readonly isFor: (instance: InstanceRecord) => instance is I
  /** Throws what is refused before anything changes. */
  readonly requireReady: (instance: I) => Promise<void>
  readonly triggeredBy: string
  /** Known before the run begins. */
  readonly known: (instance: I) => Pick<DeploymentRow, 'release' | 'branch' | 'commit_id'>
  readonly phases: Phases<I>
}

/** The error after which nobody here can say what the Node serves, or the row belongs to somebody else. */
const UNKNOWN: ReadonlySet<string> = new Set([
  'deployment.cancelled',
  'deployment.interrupted',
  'node.lock_lost',
])

/**
 * Runs a deployment or rollback as the only operation on its Instance: a row, its events, its phases, its result. Throws
 * `deployment.operation_busy`, `node.not_active` and what is refused; what fails after the row exists is the result (DEPL-023).
 */
export async function performDeployment<I extends InstanceRecord>(
  deps: DeploymentsDeps,
  call: Call,
  request: Request<I>,
): Promise<Outcome<DeploymentLine>> {
  const { seen, isFor } = request
  if (!isFor(seen)) return unavailable(deps, call)
  requireNode(seen)
  return deps.instances.holding(call, { seen, busy: 'deployment.operation_busy' }, async (found) => {
    if (!isFor(found)) return unavailable(deps, call)
    requireNoTransfer(found)
    requireNode(found)
    // Nobody works on them any more: whoever does holds this lock.
    const instance = { ...found, selected_release: await endUnended(deps, call, found) }
    await request.requireReady(instance)
    const mask = maskOfOutput(await deps.environment.stored(instance.id))
    const journal = new DeploymentJournal(deps, call, mask)
    const row = await deps.store.transaction((db) =>
      insertDeployment(db, rowOf(deps, call, instance, request)),
    )
    journal.keepIn(row)
    call.note.property('deployment', row.id)
    await call.publish('deployment.created', presentDeployment(row))
    return run({ deps, call, instance, row, journal }, request.phases)
  })
}

/** The result of a request for an Instance that cannot be deployed: the stream is open by then (DEPL-023). */
function unavailable(deps: DeploymentsDeps, call: Call): Outcome<DeploymentLine> {
  const code = 'deployment_config.unavailable'
  const journal = new DeploymentJournal(deps, call, (lines) => lines)
  const data = journal.result({
    status: 'failed',
    failed_step: 'operation',
    error_code: code,
    selected_release: null,
  })
  return { data, failure: fail(code) }
}

const rowOf = <I extends InstanceRecord>(
  { clock }: DeploymentsDeps,
  call: Call,
  instance: I,
  { triggeredBy, known }: Request<I>,
) => ({
  ...known(instance),
  instance_id: instance.id,
  request_id: call.requestId,
  started_at: clock.now().toISOString(),
  status: 'running' as const,
  selected_release: instance.selected_release,
  triggered_by: triggeredBy,
  events: [],
})

async function run<I extends InstanceRecord>(
  running: Run<I>,
  phases: Phases<I>,
): Promise<Outcome<DeploymentLine>> {
  const started = running.deps.clock.ticks()
  const progress: Progress = { phase: 'source_preparation', selected: running.instance.selected_release }
  try {
    await phases(running, progress)
    return await end(running, started, { status: 'succeeded', selected_release: progress.selected ?? null })
  } catch (error) {
    // Whatever broke because of the abort is the abort.
    const { signal } = running.call
    const code = signal.aborted ? codeOfAbort(signal) : codeOfFailure(error)
    const failed_step = FAILED_IN[progress.phase]
    const cause = signal.aborted ? undefined : causeOf(error)
    if (cause !== undefined)
      await running.journal.printing(async (onOutput) => onOutput('stderr', Buffer.from(`${cause}\n`)))
    if (UNKNOWN.has(code) || progress.selected === undefined)
      return leave(running, { code, failed_step, selected_release: progress.selected ?? null })
    const outcome = await end(running, started, {
      status: 'failed',
      failed_step,
      error_code: code,
      selected_release: progress.selected,
    })
    return { ...outcome, failure: fail(code, { cause: error }) }
  }
}

interface End {
  readonly status: 'succeeded' | 'failed'
  readonly failed_step?: DeploymentFailure
  readonly error_code?: ErrorCode
  readonly selected_release: string | null
}

async function end(
  { deps, call, instance, row, journal }: Run,
  started: number,
  {
    failed_step = null,
    error_code = null,
    ...given
  }: {
    readonly failed_step?: DeploymentFailure | null
    readonly error_code?: ErrorCode | null
  } & Pick<End, 'status' | 'selected_release'>,
): Promise<Outcome<DeploymentLine>> {
  await journal.passRest()
  const data = journal.result({ ...given, failed_step, error_code })
  const values = {
    ...given,
    failed_step,
    error_code,
    finished_at: deps.clock.now().toISOString(),
    duration_ms: Math.round(deps.clock.ticks() - started),
    events: journal.lines,
  }
  const ended = await deps.store.transaction(async (db) => {
    if (isProduction(instance)) await storeServed(deps, db, instance, given.selected_release)
    return updateDeployment(db, row.id, values)
  })
  // While the Instance is locked: the next deployment of it is announced afterwards.
  if (ended) await call.publish('deployment.updated', presentDeployment(ended))
  return { data }
}

interface Left {
  readonly code: ErrorCode
  readonly failed_step: DeploymentFailure
  /** Null also where only the Node knows it. */
  readonly selected_release: string | null
}

/** The row stays open, with the reason, until the Node has been asked. */
async function leave(
  { deps, row, journal }: Run,
  { code, failed_step, selected_release }: Left,
): Promise<Outcome<DeploymentLine>> {
  await journal.passRest()
  await updateDeployment(deps.store.db, row.id, { error_code: code, failed_step, events: journal.lines })
  await deps.store.work.add({
    kind: 'deployment:settle',
    key: String(row.id),
    payload: { deployment_id: row.id },
    dueAt: deps.clock.now(),
  })
  const data = journal.result({ status: 'failed', failed_step, error_code: code, selected_release })
  return { data, failure: fail(code) }
}
