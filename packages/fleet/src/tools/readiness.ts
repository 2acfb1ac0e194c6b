import { CodedError } from '@fleet/kernel'
import type { NodeSession } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import type { PackagePlace } from '#/tools/guards.ts'
import { holdingApt, holdingManager } from '#/tools/locks.ts'
import { MANAGERS } from '#/tools/managers/catalogue.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { managersOf } from '#/tools/managers/registry.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { findManager } from '#/tools/queries.ts'
import { type ManagerFailure, recordManager } from '#/tools/record-manager.ts'

type Place = Pick<PackagePlace, 'node' | 'manager'>
type Work<T> = (manager: Manager) => Promise<T>

/**
 * Runs the work under the lock of the manager, which is installed before on Linux where it is missing (TOOL-062). Work that finds
 * it missing against its record is run once more. Throws `tool.operation_locked`, `tool.manager_unavailable` and
 * `tool.manager_provision_failed`.
 */
export async function withInstalledManager<T>(
  deps: ToolsDeps,
  session: NodeSession,
  place: Place,
  work: Work<T>,
): Promise<T> {
  const manager = managersOf(deps)[place.manager]
  const { provision } = manager
  if (!provision || place.node.platform !== 'linux') return withManager(deps, session, place, work)
  if (await isRecorded(deps, place))
    try {
      return await withManager(deps, session, place, work)
    } catch (error) {
      if (!isManagerMissing(error)) throw error
    }
  const { store } = deps
  const { id } = place.node
  return holdingApt(store, session.call, id, 'tool.operation_locked', () =>
    holdingManager(store, session.call, place, async () => {
      await recordManager(deps, id, place.manager, () => provision(session), provisionFailure)
      return work(manager)
    }),
  )
}

/** The same with a manager that is there already. Throws `tool.operation_locked` and `tool.manager_unavailable` (TOOL-015). */
export const withManager = <T>(
  deps: ToolsDeps,
  session: NodeSession,
  place: Place,
  work: Work<T>,
): Promise<T> =>
  holdingManager(deps.store, session.call, place, async () => {
    const manager = managersOf(deps)[place.manager]
    const verify = () =>
      recordManager(deps, place.node.id, place.manager, () => manager.inspect(session), failureOn(place))
    if (!(await isRecorded(deps, place))) await verify()
    try {
      return await work(manager)
    } catch (error) {
      // Somebody removed it since: its record says so, and an installation or update brings it back.
      if (codeOf(error) === 'tool.manager_unavailable') await verify()
      throw error
    }
  })

const reasonOf = (error: unknown): unknown =>
  error instanceof CodedError && error.code === 'tool.manager_unavailable'
    ? error.details?.['reason']
    : undefined

/** The manager is not there, and nothing that it installed. */
export const isManagerAbsent = (error: unknown): boolean => reasonOf(error) === 'absent'

/** The manager is not there; what it installed may be. */
export const isManagerMissing = (error: unknown): boolean =>
  isManagerAbsent(error) || reasonOf(error) === 'program_absent'

const isRecorded = async ({ store }: ToolsDeps, { node, manager }: Place): Promise<boolean> =>
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
    return isManagerAbsent(error)
      ? { failed_step: 'manager-absent', error_code: 'node.tool_manager_absent' }
      : { failed_step: 'manager-conflict', error_code: 'node.tool_manager_conflict' }
  }
