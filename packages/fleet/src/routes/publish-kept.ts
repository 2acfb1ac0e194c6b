import type { Call } from '#/call.ts'
import { presentRoute } from '#/routes/present.ts'
import { findRoute } from '#/routes/queries.ts'
import type { RouteRecord } from '#/routes/record.ts'
import type { RoutesDeps } from '#/routes/deps.ts'

interface Kept {
  readonly routeIds: readonly number[]
  /** Of the Routes as they are after a failure: whether they are others than before. */
  readonly isKept: (routes: readonly RouteRecord[]) => boolean
}

/** Does the work of a request; where it fails, subscribers see what stays of it all the same (EV-090, decision 0300). */
export async function publishingKept(
  { store: { db } }: { readonly store: Pick<RoutesDeps['store'], 'db'> },
  call: Call,
  { routeIds, isKept }: Kept,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    const routes: RouteRecord[] = []
    for (const id of routeIds) {
      const route = await findRoute(db, id)
      if (route) routes.push(route)
    }
    if (isKept(routes)) for (const route of routes) await call.publish('route.updated', presentRoute(route))
    throw error
  }
}
