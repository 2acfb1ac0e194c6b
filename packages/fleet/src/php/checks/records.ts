import type { NodeRecord } from '#/nodes/api.ts'
import { movingOn } from '#/php/checks/queries.ts'
import type { PhpDeps } from '#/php/deps.ts'
import type { Pool } from '#/php/pool.ts'
import type { ProductionService } from '#/php/production/service-record.ts'

type RecordDeps = Pick<PhpDeps, 'store' | 'pools' | 'production'>

/** Pools of the Node that are judged: those of Instances that are neither being made nor removed (DOC-025). */
export const judgedPools = async (deps: RecordDeps, node: NodeRecord): Promise<readonly Pool[]> =>
  settled(deps, node, await deps.pools.poolsOn(node))

/** The same of production. */
export const judgedServices = async (
  deps: RecordDeps,
  node: NodeRecord,
): Promise<readonly ProductionService[]> => settled(deps, node, await deps.production.servicesOn(node))

async function settled<T extends { readonly instance: { readonly id: number } }>(
  { store }: RecordDeps,
  { id }: NodeRecord,
  records: readonly T[],
): Promise<readonly T[]> {
  if (records.length === 0) return records
  const moving = await movingOn(store.db, id)
  return records.filter(({ instance }) => !moving.has(instance.id))
}
