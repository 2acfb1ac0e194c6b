import { fail, type InputOf } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { type PackagePlace, requireManaged, requireReadable, requireSupported } from '#/tools/guards.ts'
import { holdingTool } from '#/tools/locks.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { findNamed } from '#/tools/queries.ts'
import type { ToolRow } from '#/tools/record.ts'

type Input = InputOf<'tool:install' | 'tool:adopt'>

/** A request for a package that may have no record yet, once it has been checked and its Tool is locked. */
export interface ToolRequest {
  readonly place: PackagePlace
  readonly constraint: string | null
  readonly session: NodeSession
  readonly known: ToolRow | undefined
}

/**
 * Checks what needs no Node, and runs the work under the lock of the Tool. Throws `node.not_found`, the codes of the guards,
 * `tool.operation_locked` and `tool.constraint_conflict`, unless the record may be replaced by the request.
 */
export async function requested<T>(
  deps: ToolsDeps,
  call: Call,
  input: Input,
  about: { id?: number; readonly mayReplace?: (known: ToolRow) => boolean },
  work: (request: ToolRequest) => Promise<T>,
): Promise<T> {
  const node = await deps.nodes.find(input.node_id)
  if (!node) throw fail('node.not_found')
  call.note.target(node.id)
  const place: PackagePlace = { node, manager: input.manager, name: input.package }
  call.note.property('manager', place.manager)
  call.note.property('package', place.name)
  const named = () => findNamed(deps.store.db, node.id, place.manager, place.name)
  // Refusals before the lock name the record too (TLX-041).
  const before = await named()
  if (before) about.id = before.id
  const constraint = input.version_constraint ?? null
  requireReadable(place, constraint)
  requireManaged(node)
  requireSupported(place)
  return holdingTool(deps.store, call, place, async () => {
    const known = await named()
    delete about.id
    if (known) {
      about.id = known.id
      call.note.subject('tool', known.id)
      if (known.version_constraint !== constraint && about.mayReplace?.(known) !== true)
        throw fail('tool.constraint_conflict', { details: { version_constraint: known.version_constraint } })
    }
    return work({ place, constraint, session: deps.nodes.sessions.overTunnel(call, node), known })
  })
}
