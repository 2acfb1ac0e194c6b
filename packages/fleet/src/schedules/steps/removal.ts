import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { removeService, type ServiceDeps } from '#/managed-services/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { act } from '#/schedules/commands/act.ts'
import { unreachableOr } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentSchedule } from '#/schedules/present.ts'
import { deleteRow, updateRow } from '#/schedules/queries.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { addRemoval } from '#/schedules/remove-later.ts'
import { placesOf } from '#/schedules/service.ts'
import { timerNameOf } from '#/schedules/unit.ts'

export interface ScheduleRemoval {
  readonly deps: ServiceDeps & Pick<SchedulesDeps, 'store' | 'clock'>
  readonly call: Call
  readonly schedule: ScheduleRecord
  /** Undefined for a Node that is skipped. */
  readonly session: NodeSession | undefined
  /** A run that has not ended is ended, instead of waited for. */
  readonly endsRun: boolean
  /** It is the rest of a removal, and work that is tried again by itself. */
  readonly isRest?: true
  /** What the steps find on the way. */
  readonly found: { isRunning: boolean }
}

const retire: Step<ScheduleRemoval> = {
  name: 'retire',
  run: async ({ deps, call, schedule }) => {
    if (schedule.status === 'removing') return 'skipped'
    const values = { status: 'removing', desired_timer_state: 'disabled' } as const
    await updateRow(deps.store.db, schedule.id, values)
    // A repeat does not begin it again.
    await call.publish('schedule.updated', presentSchedule({ ...schedule, ...values }))
    return undefined
  },
}

const timer: Step<ScheduleRemoval> = {
  name: 'timer',
  run: async ({ deps, schedule, session, endsRun, isRest = false, found }) => {
    if (!session) return 'skipped'
    const action = endsRun ? 'stop' : 'disable'
    const { root = '' } = deps
    const { id } = schedule
    found.isRunning = await act(session, { root, id, action, broken: 'schedule.remove_failed' })
    if (found.isRunning && !isRest) await addRemoval(deps, schedule)
    return undefined
  },
}

const artifacts: Step<ScheduleRemoval> = {
  name: 'artifacts',
  run: async ({ deps, schedule, session, found }) => {
    if (!session || found.isRunning) return 'skipped'
    await removeService(deps, session, placesOf(schedule.id, 'schedule.remove_failed'))
    return undefined
  },
}

const forget: Step<ScheduleRemoval> = {
  name: 'forget',
  run: async ({ deps, schedule, found }) => {
    if (found.isRunning) return 'skipped'
    await deleteRow(deps.store.db, schedule.id)
    return undefined
  },
}

/** The files before the record: nothing runs on a Node of which no record knows. A run that has not ended is waited for (SCHD-015). */
export const scheduleRemoval = stepList<ScheduleRemoval>(
  'schedule-removal',
  () => [retire, timer, artifacts, forget],
  { forwardOnly: true },
)

export interface Removed {
  /** False while a run has not ended. */
  readonly isGone: boolean
  /** Nodes that were skipped. */
  readonly retained: ReadonlyArray<{
    readonly node_id: number
    readonly node: string
    readonly timer: string
  }>
}

/** Throws `schedule.node_unreachable`, `schedule.artifact_conflict` and `schedule.remove_failed`. */
export async function removeSchedule(given: Omit<ScheduleRemoval, 'found'>): Promise<Removed> {
  const { call, schedule, session } = given
  const { id, name, node } = schedule
  const found = { isRunning: false }
  await performSteps(
    scheduleRemoval,
    { ...given, found },
    {
      call,
      log: removalLog(given),
      errorOf: ({ cause }) =>
        unreachableOr(
          cause,
          node,
          'Repeat when it does, or remove the Schedule with `--offline`, which leaves its timer until the Node is back.',
        ),
    },
  )
  if (found.isRunning) return { isGone: false, retained: [] }
  // The rest of an Instance that is removed with it may fail.
  await call.publish('schedule.deleted', { id, name })
  return {
    isGone: true,
    retained: session ? [] : [{ node_id: node.id, node: node.name, timer: timerNameOf(id) }],
  }
}

export const removalLog = ({ deps, schedule }: Pick<ScheduleRemoval, 'deps' | 'schedule'>): StepLog =>
  columnsLog<{ readonly failed_step: string; readonly error_code: string }>({
    on: { failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }) },
    write: (failure) => updateRow(deps.store.db, schedule.id, failure),
  })
