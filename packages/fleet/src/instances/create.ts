import { fail, type InputOf } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { requirePlacement, requireUsable } from './guards.ts'
import { withLifecycleLock } from './locks.ts'
import type { InstanceParts } from './parts.ts'
import { presentInstance } from './present.ts'
import type { InstanceRow } from './queries.ts'
import { reserve } from './reserve.ts'
import { isSamePlacement, isSetupInterrupted, rulesOf } from './rules.ts'
import { runCreation } from './steps/run-creation.ts'
import { setUpCreated } from './steps/set-up-created.ts'

/**
 * Creates a development Instance or resumes an unfinished creation (INS-049, INS-050). A failure before `active`
 * removes what the attempt created; a failed setup removes the Instance again (PRJ-069).
 */
export const makeCreate =
  (parts: InstanceParts): Handler<'instance:create'> =>
  async ({ call, input }) => {
    const placement = await requirePlacement(parts, input)
    const { project, node } = placement
    call.note.target(node.id)
    const settled = settledRepeat(await parts.queries.findNamed(project.id, input.name), input)
    if (settled) {
      call.note.subject('instance', settled.id)
      return { data: presentInstance(settled, placement), created: false }
    }
    await requireUsable(parts.nodes, placement, input)
    return withLifecycleLock(parts.store, call, { projectId: project.id, name: input.name }, async () => {
      const existing = resumable(await parts.queries.findNamed(project.id, input.name), input)
      const row = existing ?? (await reserve(parts, call, placement, input))
      call.note.subject('instance', row.id)
      if (isSettled(row)) return { data: presentInstance(row, placement), created: false }
      const session = parts.nodes.sessions.overTunnel(call, node)
      const checkout = { session, project }
      const active = rulesOf(row).isCreated
        ? row
        : await runCreation(parts, checkout, row, existing === undefined)
      const ready = await setUpCreated(parts, checkout, active)
      const data = presentInstance(ready, placement)
      call.event('instance.created', data)
      return { data, created: existing === undefined }
    })
  }

type CreateInput = InputOf<'instance:create'>

const settledRepeat = (row: InstanceRow | undefined, input: CreateInput): InstanceRow | undefined =>
  row && isSettled(row) && isSamePlacement(row, input) ? row : undefined

/** Created, and not in the middle of its first setup. */
const isSettled = (row: InstanceRow): boolean => rulesOf(row).isCreated && !isSetupInterrupted(row)

const resumable = (row: InstanceRow | undefined, input: CreateInput): InstanceRow | undefined => {
  if (!row) return undefined
  if (!isSamePlacement(row, input))
    throw fail('instance.placement_conflict', { details: { instance_id: row.id } })
  if (rulesOf(row).isLeaving) throw fail('instance.lifecycle_conflict', { details: { status: row.status } })
  return row
}
