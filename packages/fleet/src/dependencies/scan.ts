import type { DependencyInventory, EcosystemInventory, EcosystemName } from '@fleet/contract'
import type { Call } from '#/call.ts'
import { inventoryOf, readInventory } from '#/dependencies/inventory.ts'
import { availableInstance, holdingSource } from '#/dependencies/locks.ts'
import { observe, type ObserveDeps } from '#/dependencies/observe.ts'
import { bothFailed } from '#/dependencies/outcome.ts'
import type { DependencyDeps } from '#/dependencies/deps.ts'
import { storeOutcomes } from '#/dependencies/store-outcomes.ts'
import { requireAvailable } from '#/dependencies/target.ts'
import type { Handler } from '#/handler.ts'
import type { InstanceRecord } from '#/instances/api.ts'

export type ScanDeps = DependencyDeps & ObserveDeps

/** Reads both ecosystems of an Instance and stores what was found. One round trip. */
export const makeScan =
  (deps: ScanDeps): Handler<'instance:dependencies:scan'> =>
  async ({ call, input, found }) => {
    const instance = found?.instance ?? (await availableInstance(deps, input.instance))
    call.note.target(instance.node_id)
    call.note.subject('instance', instance.id)
    requireAvailable(instance)
    const data = await holdingSource(deps, call, instance, (current) => scanInstance(deps, call, current))
    call.note.property('succeeded', data.succeeded)
    return { data }
  }

/** One scan under the locks of its Instance. A Node that does not answer fails the request, and the attempt is recorded. */
export async function scanInstance(
  deps: ScanDeps,
  call: Call,
  instance: InstanceRecord,
): Promise<DependencyInventory> {
  try {
    const unstored = await storeOutcomes(deps, call, instance.id, await observe(deps, call, instance))
    return withUnstored(await readInventory(deps.store.db, instance.id), unstored)
  } catch (error) {
    await storeOutcomes(
      deps,
      call,
      instance.id,
      bothFailed('dependencies.source_unavailable', 'The scan on the Node did not complete.'),
    )
    throw error
  }
}

/** What the database did not take is reported as failed, over whatever it still has. */
function withUnstored(
  { instance_id, composer, javascript }: DependencyInventory,
  unstored: ReadonlySet<EcosystemName>,
): DependencyInventory {
  const of = (inventory: EcosystemInventory): EcosystemInventory =>
    unstored.has(inventory.ecosystem)
      ? {
          ...inventory,
          state: inventory.snapshot === null ? 'unknown' : 'stale',
          succeeded: false,
          error_code: 'dependencies.persistence_failed',
          error_detail: 'The database did not store the inventory.',
        }
      : inventory
  return inventoryOf(instance_id, of(composer), of(javascript))
}
