import type { Database } from '@fleet/store'
import type { DeploymentsDeps } from '#/deployments/deps.ts'
import { selectedRelease, storeSelected } from '#/deployments/queries.ts'
import type { ProductionInstance } from '#/instances/api.ts'

/** Stores which release the Node serves. If it is another one than before, public Routes that wait for it are tried again (RTX-050). */
export async function storeServed(
  { edge }: Pick<DeploymentsDeps, 'edge'>,
  db: Database,
  { id, node }: Pick<ProductionInstance, 'id' | 'node'>,
  release: string | null,
): Promise<void> {
  if ((await selectedRelease(db, id)) === (release ?? undefined)) return
  await storeSelected(db, id, release)
  if (node.cluster_id !== null) await edge.publishWaiting(db, node.cluster_id)
}
