import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { holdingOwner as holdingRuntimeOwner, type OwnerDeps } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { nodeDetail } from '#/nodes/api.ts'
import { findProcess } from '#/processes/find.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessOwner, ProcessRecord } from '#/processes/record.ts'

const BUSY = 'process.operation_busy'

interface SeenProcess extends Pick<ProcessRecord, 'id' | 'owner'> {
  /** For the lock of its Instance; that of the table when absent. */
  readonly waitSeconds?: number | undefined
}

/**
 * Runs the work under the lock of the Process and, for one of an Instance, under the Instance's operation lock before it, with
 * the record as it is then. Throws `instance.lifecycle_busy`, `process.operation_busy`, `process.runtime_lock_failed` and
 * `process.not_found`.
 */
export const holdingProcess = <T>(
  deps: ProcessesDeps,
  call: Call,
  { id, owner, waitSeconds }: SeenProcess,
  work: (process: ProcessRecord) => Promise<T>,
): Promise<T> =>
  holdingRuntimeOwner(deps, call, { owner, busy: BUSY, waitSeconds }, () =>
    holding(deps.store, call, lockOf('process', id), async () => {
      const process = await findProcess(deps, id)
      if (!process) throw fail('process.not_found')
      return work(process)
    }),
  )

/** Runs the work with the owner as it is once nothing else changes it. */
export const holdingOwner = <T>(
  deps: OwnerDeps,
  call: Call,
  owner: ProcessOwner,
  work: (owner: ProcessOwner) => Promise<T>,
): Promise<T> => holdingRuntimeOwner(deps, call, { owner, busy: BUSY }, work)

/** Throws `process.target_inactive` and `process.platform_unsupported` (PROC-040, PROC-042). */
export function requireActive({ type, node, instance }: ProcessOwner): void {
  if (node.platform === 'macos') throw fail('process.platform_unsupported', { details: nodeDetail(node) })
  if (node.status !== 'active')
    throw fail('process.target_inactive', {
      message: `The Node ${node.name} is not active.`,
      details: { ...nodeDetail(node), target_type: type, status: node.status },
    })
  if (instance && instance.status !== 'active')
    throw fail('process.target_inactive', {
      message: `The Instance ${instance.name} is not active.`,
      details: { target_type: type, status: instance.status },
    })
}

/** Throws `process.release_unavailable` for a production Instance without a release (PROC-032). */
export async function requireRelease(
  { releases }: Pick<ProcessesDeps, 'releases'>,
  { instance }: ProcessOwner,
): Promise<void> {
  if (instance?.environment !== 'production') return
  if ((await releases.selected(instance.id)) !== undefined) return
  throw fail('process.release_unavailable', { details: { instance_id: instance.id } })
}
