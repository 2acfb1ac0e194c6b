import { CodedError } from '@fleet/kernel'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/perform-steps.ts'
import type { PackagePlace } from '#/tools/guards.ts'
import { holdingApt, holdingManager } from '#/tools/locks.ts'
import { MANAGERS } from '#/tools/managers/catalogue.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { managersOf } from '#/tools/managers/registry.ts'
import type { ToolsParts } from '#/tools/parts.ts'
import { findManager } from '#/tools/queries.ts'
import { type ManagerFailure, recordManager } from '#/tools/record-manager.ts'

type Place = Pick<PackagePlace, 'node' | 'manager'>
type Work<T> = (manager: Manager) => Promise<T>

/**
 * Runs the work under the lock of the manager, which is installed before on Linux where it is missing (TOOL-062). Throws
 * `tool.operation_locked`, `tool.manager_unavailable` and `tool.manager_provision_failed`.
 */
export async function withInstalledManager<T>(
  parts: ToolsParts,
  session: NodeSession,
  place: Place,
  work: Work<T>,
): Promise<T> {
  const manager = managersOf(parts)[place.manager]
  const { provision } = manager
  if (!provision || place.node.platform !== 'linux' || (await isRecorded(parts, place)))
    return withManager(parts, session, place, work)
  const { store } = parts
  const { id } = place.node
  return holdingApt(store, session.call, id, 'tool.operation_locked', () =>
    holdingManager(store, session.call, place, async () => {
      await recordManager(parts, id, place.manager, () => provision(session), provisionFailure)
      return work(manager)
    }),
  )
}

/** The same with a manager that is there already. Throws `tool.operation_locked` and `tool.manager_unavailable` (TOOL-015). */
export const withManager = <T>(
  parts: ToolsParts,
  session: NodeSession,
  place: Place,
  work: Work<T>,
): Promise<T> =>
  holdingManager(parts.store, session.call, place, async () => {
    const manager = managersOf(parts)[place.manager]
    const verify = () =>
      recordManager(parts, place.node.id, place.manager, () => manager.inspect(session), failureOn(place))
    if (!(await isRecorded(parts, place))) await verify()
    try {
      return await work(manager)
    } catch (error) {
      // Somebody removed it since: its record says so, and the next installation brings it back.
      if (codeOf(error) === 'tool.manager_unavailable') await verify()
      throw error
    }
  })

const isRecorded = async ({ store }: ToolsParts, { node, manager }: Place): Promise<boolean> =>
  (await findManager(store.db, node.id, manager))?.status === 'active'

/** A failure of a tool alone is one of its manager; any other keeps its code, such as that of a Node that does not answer. */
export const provisionFailure = (error: unknown): ManagerFailure => ({
  failed_step: 'materialize',
  error_code: codeOf(error).startsWith('tool.') ? 'node.tool_manager_materialization_failed' : codeOf(error),
})

/** TLX-013: on macOS nothing is installed, so a manager is absent or conflicting. */
const failureOn =
  ({ node, manager }: Place) =>
  (error: unknown): ManagerFailure => {
    if (node.platform !== 'macos' || MANAGERS[manager].lock === 'apt') return provisionFailure(error)
    const isAbsent = error instanceof CodedError && error.details?.['reason'] === 'absent'
    return isAbsent
      ? { failed_step: 'manager-absent', error_code: 'node.tool_manager_absent' }
      : { failed_step: 'manager-conflict', error_code: 'node.tool_manager_conflict' }
  }
