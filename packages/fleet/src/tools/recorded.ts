import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { type Described, outcomeOf } from '#/tools/failure.ts'
import { type PackagePlace, requireManaged, requireSupported, requireUnprotected } from '#/tools/guards.ts'
import { requireTool } from '#/tools/locators.ts'
import { holdingTool } from '#/tools/locks.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { updateTool } from '#/tools/queries.ts'
import { withManager } from '#/tools/readiness.ts'
import type { ToolRecord } from '#/tools/record.ts'

/** A recorded Tool under its locks, with the manager that has it. */
export interface OnTool {
  readonly tool: ToolRecord
  readonly session: NodeSession
  readonly manager: Manager
}

const UNAVAILABLE = 'tool.manager_unavailable'

/**
 * Runs the work on the Tool as it is once nothing else changes it. A manager that cannot be used fails the Tool (TLX-047).
 * Throws `tool.not_found`, the codes of the guards, `tool.operation_locked` and `tool.manager_unavailable`.
 */
export async function onTool<T>(
  deps: ToolsDeps,
  call: Call,
  seen: ToolRecord,
  about: Described & { readonly step: 'update' | 'remove' },
  work: (on: OnTool) => Promise<T>,
): Promise<T> {
  about.id = seen.id
  call.note.target(seen.node.id)
  call.note.subject('tool', seen.id)
  const place: PackagePlace = { node: seen.node, manager: seen.manager, name: seen.package }
  requireManaged(place.node)
  requireSupported(place)
  requireUnprotected(deps, place)
  return holdingTool(deps.store, call, place, async () => {
    const tool = await requireTool(deps, seen.id)
    const session = deps.nodes.sessions.overTunnel(call, tool.node)
    try {
      return await withManager(deps, session, place, (manager) => work({ tool, session, manager }))
    } catch (error) {
      if (codeOf(error) === UNAVAILABLE)
        await updateTool(deps.store.db, tool.id, {
          status: 'failed',
          failed_operation: about.step,
          error_code: UNAVAILABLE,
          outcome: outcomeOf(UNAVAILABLE),
        })
      throw error
    }
  })
}
