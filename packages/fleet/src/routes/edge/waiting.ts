import type { Database } from '@fleet/store'
import * as z from 'zod'
import { holding, lockOf } from '#/locks/api.ts'
import { performEdge } from '#/routes/edge/list.ts'
import type { EdgeDeps } from '#/routes/edge/publish.ts'
import { publicRoutesIn } from '#/routes/edge/queries.ts'
import { isInTransition } from '#/routes/own.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRow } from '#/routes/record.ts'
import { type WorkKind, workKind } from '#/work/api.ts'

const PUBLISH = 'route:publish-waiting'
const payload = z.strictObject({ cluster_id: z.int() })

/** Stored with what ends their waiting, such as an ingress that became active. */
export const publishWaiting = (
  { store, clock }: Pick<RoutesDeps, 'store' | 'clock'>,
  db: Database,
  clusterId: number,
): Promise<void> =>
  store.work.add(
    { kind: PUBLISH, key: String(clusterId), payload: { cluster_id: clusterId }, dueAt: clock.now() },
    db,
  )

/** Routes that were meant for the public before their Cluster could publish them (RTX-051). */
export const makeWaitingKind = (deps: EdgeDeps): WorkKind =>
  workKind({
    name: PUBLISH,
    payload,
    run: async (call, { cluster_id }) => {
      const { db } = deps.store
      for (const { id } of (await publicRoutesIn(db, cluster_id)).filter(isWaiting))
        await holding(deps.store, call, lockOf('route', id), async () => {
          const current = await findRoute(db, id)
          if (current && isWaiting(current))
            await performEdge({ deps, call, routeId: id, isPublic: current.publication === 'public' })
        })
    },
  })

/** What is being created, changed or removed is finished by whoever does that. */
const isWaiting = (route: RouteRow): boolean =>
  route.status === 'active' && route.edge_step !== 'ingress-firewall' && !isInTransition(route)
