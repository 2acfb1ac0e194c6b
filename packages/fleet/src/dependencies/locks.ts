import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { requireAvailable } from '#/dependencies/target.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'

/**
 * Runs the work under the operation lock of the Instance and, in development, under the source lock of its Node (DEP-056,
 * DEX-035), with the Instance as it is then. Throws `dependencies.operation_busy` with the holder, or for one that moved,
 * `instance.not_found` and what `requireAvailable` throws.
 */
export const holdingSource = <T>(
  deps: { readonly store: Store; readonly instances: Instances },
  call: Call,
  seen: InstanceRecord,
  work: (instance: InstanceRecord) => Promise<T>,
): Promise<T> =>
  deps.instances.holding(call, { seen, busy: 'dependencies.operation_busy' }, async (instance) => {
    requireAvailable(instance)
    return instance.environment === 'production'
      ? work(instance)
      : holding(deps.store, call, lockOf('nodeSource', instance.node_id), () => work(instance))
  })

/** Throws `instance.not_found` and what `requireAvailable` throws. */
export async function availableInstance(
  { instances }: { readonly instances: Instances },
  id: number,
): Promise<InstanceRecord> {
  const instance = await instances.find(id)
  if (!instance) throw fail('instance.not_found')
  requireAvailable(instance)
  return instance
}
