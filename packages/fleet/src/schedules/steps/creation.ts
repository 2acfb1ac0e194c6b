import { columnsLog, type Step, type StepFailure, stepList, type StepLog } from '@fleet/steps'
import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { ensureService, forUndoing, removeService, type ServiceDeps } from '#/managed-services/api.ts'
import { nodeDetail, type NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { unreachableOr } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { updateRow } from '#/schedules/queries.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { placesOf, scheduleService } from '#/schedules/service.ts'

export interface ScheduleCreation {
  readonly deps: ServiceDeps & Pick<SchedulesDeps, 'store'>
  readonly call: Call
  readonly session: NodeSession
  readonly schedule: ScheduleRecord
}

const install: Step<ScheduleCreation> = {
  name: 'install',
  run: async ({ deps, session, schedule }) =>
    void (await ensureService(deps, session, scheduleService(schedule))),
  undo: async ({ deps, session, schedule }) =>
    void (await removeService(deps, session, placesOf(schedule.id, 'schedule.rollback_failed'))),
}

const activate: Step<ScheduleCreation> = {
  name: 'activate',
  commits: true,
  run: async ({ deps, schedule }) => void (await updateRow(deps.store.db, schedule.id, { status: 'active' })),
}

/** From the stored record to the timer that runs as desired, or to nothing on the Node and a record that names the step (SCHD-027). */
export const scheduleCreation = stepList<ScheduleCreation>('schedule-creation', () => [install, activate])

/** Throws `schedule.install_failed`, `schedule.artifact_conflict`, `schedule.rollback_failed` and `schedule.node_unreachable`. */
export async function installSchedule(creation: ScheduleCreation): Promise<void> {
  const { deps, call, schedule } = creation
  const values = { status: 'provisioning', failed_step: null, error_code: null } as const
  await updateRow(deps.store.db, schedule.id, values)
  await performSteps(scheduleCreation, creation, {
    call,
    log: creationLog(creation),
    // Asked before anything is written: what is there belongs to somebody else.
    kindOf: (cause) => (codeOf(cause) === 'schedule.artifact_conflict' ? 'kept' : undefined),
    withCall: forUndoing,
    errorOf: (failure) => errorOf(creation, failure),
  })
}

const errorOf = ({ session: { node } }: ScheduleCreation, { cause, undoFailure }: StepFailure): unknown => {
  const error = unreachableOr(cause, node)
  if (error !== cause || !undoFailure) return error
  return fail('schedule.rollback_failed', {
    details: { ...nodeDetail(node), step: undoFailure.step, error_code: codeOf(cause) },
    cause: undoFailure.cause,
  })
}

export const creationLog = ({ deps, schedule }: Pick<ScheduleCreation, 'deps' | 'schedule'>): StepLog =>
  columnsLog<{ readonly failed_step?: string; readonly error_code: string }>({
    on: {
      failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }),
      undo_failed: () => ({ error_code: 'schedule.rollback_failed' }),
    },
    write: (failure) => updateRow(deps.store.db, schedule.id, { status: 'failed', ...failure }),
  })
