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
import { isManagerAbsent, withInstalledManager, withManager } from '#/tools/readiness.ts'
import type { ToolRecord } from '#/tools/record.ts'

/** A recorded Tool under its locks, with the manager that has it. */
export interface OnTool {
  readonly tool: ToolRecord
  readonly session: NodeSession
  readonly manager: Manager
}

/** Codes of a manager that cannot be used, which fail the Tool (TLX-047). */
const UNUSABLE: ReadonlySet<string> = new Set(['tool.manager_unavailable', 'tool.manager_provision_failed'])

/** What is done with a Tool, once it is locked. */
export interface ToolTask<T> {
  readonly work: (on: OnTool) => Promise<T>
  /** Instead of an error where the manager is not there, so that nothing of the package can be. */
  readonly withoutManager?: (tool: ToolRecord) => Promise<T>
}

/**
 * Runs the task on the Tool as it is once nothing else changes it. An update installs a manager that is missing (decision 0362).
 * Throws `tool.not_found`, the codes of the guards, `tool.operation_locked`, `tool.manager_unavailable` and
 * `tool.manager_provision_failed`.
 */
export async function onTool<T>(
  deps: ToolsDeps,
  call: Call,
  seen: ToolRecord,
  about: Described & { readonly step: 'update' | 'remove' },
  { work, withoutManager }: ToolTask<T>,
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
    const using = about.step === 'update' ? withInstalledManager : withManager
    try {
      return await using(deps, session, place, (manager) => work({ tool, session, manager }))
    } catch (error) {
      if (withoutManager && isManagerAbsent(error)) return withoutManager(tool)
      const error_code = codeOf(error)
      if (UNUSABLE.has(error_code))
        await updateTool(deps.store.db, tool.id, {
          status: 'failed',
          failed_operation: about.step,
          error_code,
          outcome: outcomeOf(error_code),
        })
      throw error
    }
  })
}
