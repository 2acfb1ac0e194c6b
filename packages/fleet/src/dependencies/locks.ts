import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { requireAvailable } from '#/dependencies/target.ts'
import type { InstanceRecord, Instances } from '#/instances/api.ts'
import { holding, lockOf } from '#/locks/api.ts'

/**
 * Runs the work under the operation lock of the Instance and, in development, under the source lock of its Node (DEP-056,
 * DEX-035). The Instance is read again once they are held. Throws `dependencies.operation_busy` with the holder,
 * `instance.not_found` and what `requireAvailable` throws.
 */
export const holdingSource = <T>(
  deps: { readonly store: Store; readonly instances: Instances },
  call: Call,
  { id, node_id, environment }: InstanceRecord,
  work: (instance: InstanceRecord) => Promise<T>,
): Promise<T> =>
  deps.instances.withOperationLock(call, id, 'dependencies.operation_busy', async () => {
    const locked = async (): Promise<T> => work(await availableInstance(deps, id))
    return environment === 'production'
      ? locked()
      : holding(deps.store, call, lockOf('nodeSource', node_id), locked)
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
