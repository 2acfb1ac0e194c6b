import { fail, scheduleStatusRules } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { holdingOwner, type RuntimeOwner } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { nodeDetail, type NodeRecord, requireOwnMachine, silentCode } from '#/nodes/api.ts'
import { findSchedule } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'

/**
 * Runs the work under the lock of the Schedule and, for one of an Instance, under the Instance's operation lock before it,
 * with the record as it is then. Throws `instance.lifecycle_busy`, `schedule.operation_busy` and `schedule.not_found`.
 */
export const holdingSchedule = <T>(
  deps: SchedulesDeps,
  call: Call,
  { id, owner }: Pick<ScheduleRecord, 'id' | 'owner'>,
  work: (schedule: ScheduleRecord) => Promise<T>,
): Promise<T> =>
  holdingOwner(deps, call, { owner, busy: 'schedule.operation_busy' }, () =>
    holding(deps.store, call, lockOf('schedule', id), async () => {
      const schedule = await findSchedule(deps, id)
      if (!schedule) throw fail('schedule.not_found')
      return work(schedule)
    }),
  )

/** Throws `schedule.platform_unsupported`, `node.capability_missing` and `schedule.target_unavailable` (SCHD-025, SCHD-026). */
export function requireAvailable({ type, node, instance }: RuntimeOwner): void {
  if (node.platform === 'macos') throw fail('schedule.platform_unsupported', { details: nodeDetail(node) })
  requireOwnMachine(node, 'systemd', 'systemd, which keeps the time of Schedules')
  const owner = instance ?? node
  if (node.status === 'active' && owner.status === 'active') return
  throw fail('schedule.target_unavailable', {
    message:
      node.status === 'active'
        ? `The Instance ${owner.name} is not active.`
        : `The Node ${node.name} is not active.`,
    details: { ...nodeDetail(node), target_type: type, status: owner.status },
  })
}

/** Throws `schedule.target_unavailable` for a production Instance without a release: there is nothing to run in. */
export async function requireRelease(
  { releases }: Pick<SchedulesDeps, 'releases'>,
  { instance, type }: RuntimeOwner,
): Promise<void> {
  if (instance?.environment !== 'production') return
  if ((await releases.selected(instance.id)) !== undefined) return
  throw fail('schedule.target_unavailable', {
    message: `The production Instance ${instance.name} has no selected release to run.`,
    details: { target_type: type, instance_id: instance.id },
  })
}

/** Throws `schedule.state_invalid` for one that is not installed. */
export function requireInstalled({ id, status }: ScheduleRecord): void {
  if (scheduleStatusRules[status].isInstalled) return
  throw fail('schedule.state_invalid', {
    message: `The Schedule is ${status}. ${scheduleStatusRules[status].summary}`,
    details: { schedule_id: id, status },
  })
}

/** What a command on an installed Schedule needs. Throws what `requireInstalled`, `requireAvailable` and `requireRelease` throw. */
export async function requireRunnable(
  deps: Pick<SchedulesDeps, 'releases'>,
  schedule: ScheduleRecord,
): Promise<void> {
  requireInstalled(schedule)
  requireAvailable(schedule.owner)
  await requireRelease(deps, schedule.owner)
}

/** Work on the Node; one that does not answer is `schedule.node_unreachable`. */
export async function reaching<T>(node: NodeRecord, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unreachableOr(error, node)
  }
}

export function unreachableOr(cause: unknown, node: NodeRecord, hint = 'Repeat when it does.'): unknown {
  const code = silentCode(cause)
  if (code === undefined) return cause
  return fail('schedule.node_unreachable', {
    message: `The Node ${node.name} does not answer. ${hint}`,
    details: { ...nodeDetail(node), error_code: code },
    cause,
  })
}
