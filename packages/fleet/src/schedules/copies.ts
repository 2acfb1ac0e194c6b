import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { findOwner, type InstanceDefinitions, type RuntimeOwner } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { type NodeSession, requireOwnMachine } from '#/nodes/api.ts'
import type { ProductionSchedule } from '#/projects/api.ts'
import { tryCalendar } from '#/schedules/commands/calendar.ts'
import { newRow } from '#/schedules/create.ts'
import { findSchedule } from '#/schedules/find.ts'
import { completeSchedule } from '#/schedules/install.ts'
import { reaching } from '#/schedules/locking.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { findNamed, insertRow } from '#/schedules/queries.ts'
import type { ScheduleRow } from '#/schedules/record.ts'

/** What a production Instance gets of the Schedule definitions of its Project: installed, each timer disabled (PRJ-084, PRJ-085). */
export const makeScheduleCopies = (deps: SchedulesDeps): InstanceDefinitions => ({
  requireInstallable: async (session, projectId) => {
    for (const definition of await deps.projects.productionSchedules(projectId))
      await requireCalendar(session, projectId, definition)
  },
  copy: async (session, instanceId) => {
    const owner = await findOwner(deps, 'instance', instanceId)
    if (owner?.instance?.environment !== 'production') return
    const definitions = await deps.projects.productionSchedules(owner.instance.project_id)
    if (definitions.length > 0)
      requireOwnMachine(owner.node, 'systemd', 'systemd, which keeps the time of Schedules')
    // All names before the first row: a refused preparation leaves no copy behind.
    for (const definition of definitions) await existing(deps, owner, definition)
    for (const definition of definitions) {
      const { id } = await existingOrNew(deps, session, owner, definition)
      await holding(deps.store, session.call, lockOf('schedule', id), async () => {
        const schedule = await findSchedule(deps, id)
        if (schedule && schedule.status !== 'active') await completeSchedule(deps, session, schedule)
      })
    }
  },
})

/** The copy that an earlier attempt stored. Throws `schedule.retry_conflict` for a Schedule that is no copy of this definition. */
async function existing(
  { store }: SchedulesDeps,
  owner: RuntimeOwner,
  { id, name }: ProductionSchedule,
): Promise<ScheduleRow | undefined> {
  const known = await findNamed(store.db, owner.type, owner.id, name)
  if (!known || (known.definition_id === id && known.status !== 'removing')) return known
  throw fail('schedule.retry_conflict', { details: { schedule_id: known.id, status: known.status } })
}

/** Throws `schedule.calendar_invalid` for a calendar that the host does not parse. */
async function existingOrNew(
  deps: SchedulesDeps,
  session: NodeSession,
  owner: RuntimeOwner,
  definition: ProductionSchedule,
): Promise<ScheduleRow> {
  const known = await existing(deps, owner, definition)
  if (known) return known
  const { id, name, spec } = definition
  await requireCalendar(session, owner.instance?.project_id, definition)
  const row = newRow(deps, owner, { name, ...spec, start: false }, id)
  // Another request stored one of this name in between.
  return (await insertRow(deps.store.db, row)) ?? existingOrNew(deps, session, owner, definition)
}

/** Throws `schedule.calendar_invalid` for a calendar that the host does not parse. */
async function requireCalendar(
  session: NodeSession,
  projectId: number | undefined,
  definition: ProductionSchedule,
): Promise<void> {
  try {
    await reaching(session.node, () => session.ask(tryCalendar, definition.spec.calendar))
  } catch (error) {
    throw ofDefinition(error, projectId, definition)
  }
}

/** A Project has several definitions, and none of them was named in the request. */
function ofDefinition(
  error: unknown,
  projectId: number | undefined,
  { name, spec }: ProductionSchedule,
): unknown {
  if (!(error instanceof CodedError) || error.code !== 'schedule.calendar_invalid') return error
  return fail(error.code, {
    message: `The Schedule definition ${name} of the Project has a calendar that systemd on the Node does not accept. Try another one there: \`systemd-analyze calendar EXPRESSION\`.`,
    details: {
      ...error.details,
      definition: name,
      calendar: spec.calendar,
      project_id: projectId,
    },
    cause: error,
  })
}
