import { CodedError } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { InstanceRuntime } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { act } from '#/schedules/commands/act.ts'
import { findSchedule } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { deleteRow, rowsOfInstance } from '#/schedules/queries.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { removeSchedule } from '#/schedules/steps/removal.ts'

/** What the removal of an Instance does with its Schedules, under the Instance's operation lock (INS-115). */
export const makeInstanceRuntime = (deps: SchedulesDeps): InstanceRuntime => ({
  stop: (session, instanceId) =>
    eachOf(deps, session.call, instanceId, async ({ id }) => {
      try {
        await act(session, { root: deps.root ?? '', id, action: 'stop', broken: 'schedule.remove_failed' })
      } catch (error) {
        // A timer of somebody else has nothing to do with the checkout.
        if (!(error instanceof CodedError) || error.code !== 'schedule.artifact_conflict') throw error
      }
    }),
  remove: (session, instanceId) =>
    eachOf(deps, session.call, instanceId, async (schedule) => {
      await removeSchedule({ deps, call: session.call, schedule, session, endsRun: true })
    }),
  // What stays on the Node is found there by its marker when it is back.
  leaveBehind: async (tx, call, { instanceId }) => {
    for (const { id, name } of await rowsOfInstance(tx, instanceId)) {
      await deleteRow(tx, id)
      call.event('schedule.deleted', { id, name })
    }
  },
})

async function eachOf(
  deps: SchedulesDeps,
  call: Call,
  instanceId: number,
  work: (schedule: ScheduleRecord) => Promise<void>,
): Promise<void> {
  for (const { id } of await rowsOfInstance(deps.store.db, instanceId))
    await holding(deps.store, call, lockOf('schedule', id), async () => {
      const schedule = await findSchedule(deps, id)
      if (schedule) await work(schedule)
    })
}
