import { holding, lockOf } from '#/locks/api.ts'
import { ensureService, removeService, sha256 } from '#/managed-services/api.ts'
import {
  artifactParts,
  isEmbedded,
  type NodeArtifact,
  type NodeRecord,
  type NodeSession,
} from '#/nodes/api.ts'
import { act } from '#/schedules/commands/act.ts'
import { findInstalled } from '#/schedules/commands/found.ts'
import { findSchedule, withOwners } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { rowsOnNode } from '#/schedules/queries.ts'
import type { ScheduleRecord } from '#/schedules/record.ts'
import { placesOf, scheduleService } from '#/schedules/service.ts'
import { renderTexts } from '#/schedules/unit.ts'

/**
 * What Schedules have on a Node, as the records say: what belongs to none of this Node is removed, files are written again,
 * and each timer is enabled or not as desired (NODE-120). One that cannot be repaired does not keep the others from it.
 */
export const makeSchedulesArtifact = (deps: SchedulesDeps): NodeArtifact => ({
  name: 'schedules',
  // A Node without records may have files of earlier ones.
  digest: async (node) =>
    mayHave(node) ? sha256((await installedOn(deps, node.id)).map(textOf).join('\n')) : undefined,
  converge: async (session) => {
    const parts = artifactParts()
    const done: (boolean | undefined)[] = []
    for (const id of await strangersOn(deps, session))
      done.push(await parts.attempt(() => drop(deps, session, id)))
    for (const { id } of await installedOn(deps, session.node.id))
      done.push(
        await parts.attempt(() =>
          holding(deps.store, session.call, lockOf('schedule', id), () => repair(deps, session, id)),
        ),
      )
    return parts.skipped() ?? (done.includes(true) ? 'applied' : 'unchanged')
  },
})

/** Whether there can be Schedules at all. */
export const mayHave = (node: NodeRecord): boolean => node.platform !== 'macos' && !isEmbedded(node)

const textOf = (schedule: ScheduleRecord): string => {
  const { script, service, timer } = renderTexts(schedule)
  return [script, service, timer, schedule.desired_timer_state].join('\n')
}

/** Ids of what is on the Node and belongs to no Schedule of it. Files are read before records: a record comes before its files. */
async function strangersOn(deps: SchedulesDeps, session: NodeSession): Promise<readonly string[]> {
  const found = await session.ask(findInstalled, deps.root ?? '')
  const own = new Set((await rowsOnNode(deps.store.db, session.node.id)).map(({ id }) => id))
  return found.filter((id) => !own.has(id))
}

async function drop(deps: SchedulesDeps, session: NodeSession, id: string): Promise<boolean> {
  await removeService(deps, session, placesOf(id, 'schedule.remove_failed'))
  return true
}

/** As it is once the lock is held. */
async function repair(deps: SchedulesDeps, session: NodeSession, id: string): Promise<boolean> {
  const schedule = await findSchedule(deps, id)
  if (schedule?.status !== 'active') return false
  const { outcome } = await ensureService(deps, session, scheduleService(schedule))
  if (schedule.desired_timer_state === 'disabled')
    await act(session, { root: deps.root ?? '', id, action: 'disable', broken: 'schedule.install_failed' })
  return outcome === 'applied'
}

/** Active ones alone: what a creation or removal left is finished by its own request. */
async function installedOn(deps: SchedulesDeps, nodeId: number): Promise<readonly ScheduleRecord[]> {
  const rows = (await rowsOnNode(deps.store.db, nodeId)).filter(({ status }) => status === 'active')
  return withOwners(deps, rows)
}
