import { CodedError } from '@fleet/kernel'
import type { Database } from '@fleet/store'
import * as z from 'zod'
import type { Call } from '#/call.ts'
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

/**
 * Routes that were meant for the public before their Cluster could publish them (RTX-051). Each is tried, whatever becomes of the
 * others.
 */
export const makeWaitingKind = (deps: EdgeDeps): WorkKind =>
  workKind({
    name: PUBLISH,
    payload,
    run: async (call, { cluster_id }) => {
      const failures: unknown[] = []
      for (const { id } of (await publicRoutesIn(deps.store.db, cluster_id)).filter(isWaiting)) {
        await open(deps, call, id).catch((error: unknown) => {
          if (call.signal.aborted) throw error
          failures.push(error)
        })
      }
      // One that may go away decides whether there is another attempt.
      if (failures.length > 0) throw failures.find(isWorthRepeating) ?? failures[0]
    },
  })

const open = (deps: EdgeDeps, call: Call, id: number): Promise<void> =>
  holding(deps.store, call, lockOf('route', id), async () => {
    const current = await findRoute(deps.store.db, id)
    if (current && isWaiting(current))
      await performEdge({ deps, call, routeId: id, isPublic: current.publication === 'public' })
  })

const isWorthRepeating = (error: unknown): boolean =>
  !(error instanceof CodedError) || error.retry !== 'change'

/** What is being created, changed or removed is finished by whoever does that. */
const isWaiting = (route: RouteRow): boolean =>
  route.status === 'active' && route.edge_step !== 'ingress-firewall' && !isInTransition(route)
