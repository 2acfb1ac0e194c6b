import { posix } from 'node:path'
import type { Clock } from '@fleet/kernel'
import type { Database, NewRow } from '@fleet/store'
import { placeOf, recordedSets } from '#/routes/pools/queries.ts'
import { routesByIds } from '#/routes/queries.ts'
import { liveScope, stagingScope } from '#/routes/served.ts'

/**
 * What the silent Node of an Instance that is removed in this transaction may have of a set that is stored and not finished: nothing but
 * the set knows the certificates of an Instance that came into a pool or has left it.
 */
export async function setResidues(
  tx: Database,
  instanceId: number,
  clock: Pick<Clock, 'now'>,
): Promise<ReadonlyArray<NewRow<'route_residues'>>> {
  const sets = (await recordedSets(tx)).filter(({ target_set: { pools } }) =>
    pools.some(({ before, after }) => [...before, ...after].includes(instanceId)),
  )
  const routes = await routesByIds(
    tx,
    sets.map(({ route_id }) => route_id),
  )
  const route = routes.find(({ target_set_step }) => target_set_step !== null)
  const place = route && (await placeOf(tx, instanceId))
  if (!place) return []
  const { node_id, production_home: home, production_user: source_user, selected_release: release } = place
  const isOpened = home !== null && release !== null
  return [liveScope(instanceId), stagingScope(instanceId)].map((leaf_scope) => ({
    node_id,
    route_id: route.id,
    domain: route.domain,
    retained_steps: ['caddy', 'certificate'],
    leaf_scope,
    ...(isOpened ? { source_user, source_path: posix.join(home, 'releases', release) } : {}),
    created_at: clock.now().toISOString(),
  }))
}
