import type { Database } from '@fleet/store'
import { deleteRoutes, insertRoute, type RouteChanges, routesWhere, updateRoute } from '#/routes/queries.ts'
import type { RouteRow } from '#/routes/record.ts'

/** The replacements of these Routes, by id. */
export const replacementRows = (db: Database, routeIds: readonly number[]): Promise<readonly RouteRow[]> =>
  db
    .selectFrom('routes')
    .selectAll()
    .where('replaces_route_id', 'in', [...routeIds])
    .orderBy('id')
    .execute()

export interface ReservedReplacement {
  readonly routeId: number
  readonly domain: string
  readonly publication: RouteRow['publication']
  readonly created_at: string
}

/** Reserves the replacement with the targets of the Route; false when the domain is taken. May be repeated. */
export async function reserveReplacement(tx: Database, reserved: ReservedReplacement): Promise<boolean> {
  const { routeId, domain, publication, created_at } = reserved
  const [[replaced], [known]] = [await routesWhere(tx, { id: routeId }), await replacementRows(tx, [routeId])]
  if (!replaced) throw new Error(`the Route ${routeId} that is replaced is gone`)
  if (known) return known.domain === domain
  const { id: _id, targets, failed_step: _step, error_code: _code, ...kept } = replaced
  const row = {
    ...kept,
    domain,
    publication,
    created_at,
    status: 'pending',
    has_site: 0,
    has_name: 0,
    edge_step: null,
    web_root_change: null,
  } as const
  const pair = { replaces_route_id: routeId, replaced_by_route_id: null, replacement_step: null } as const
  const next = await insertRoute(tx, { ...row, ...pair })
  if (!next) return false
  for (const { instance_id, position } of targets)
    await tx.insertInto('route_targets').values({ route_id: next.id, instance_id, position }).execute()
  await updateRoute(tx, routeId, { replaced_by_route_id: next.id })
  return true
}

export async function updateReplacements(
  db: Database,
  routeIds: readonly number[],
  values: RouteChanges,
): Promise<void> {
  await db
    .updateTable('routes')
    .set(values)
    .where('replaces_route_id', 'in', [...routeIds])
    .execute()
}

async function updateReplaced(
  tx: Database,
  routeIds: readonly number[],
  values: RouteChanges,
): Promise<void> {
  await tx
    .updateTable('routes')
    .set(values)
    .where('id', 'in', [...routeIds])
    .execute()
}

/** The replaced Routes are as they were before anything was reserved. */
export async function deleteReplacements(tx: Database, routeIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('routes')
    .where('replaces_route_id', 'in', [...routeIds])
    .execute()
  await updateReplaced(tx, routeIds, { replaced_by_route_id: null })
}

export async function cutOverReplacements(tx: Database, routeIds: readonly number[]): Promise<void> {
  const settled = { failed_step: null, error_code: null } as const
  await updateReplacements(tx, routeIds, { status: 'activating', ...settled })
  await updateReplaced(tx, routeIds, { status: 'retiring' })
}

/** Their names are not answered any more. */
export const retireReplaced = (db: Database, routeIds: readonly number[]): Promise<void> =>
  updateReplaced(db, routeIds, { has_name: 0 })

/** From here on the replacements present the live certificates, and the replaced Routes have no site. */
export async function storeCleanup(tx: Database, routeIds: readonly number[], step: string): Promise<void> {
  await updateReplacements(tx, routeIds, { replacement_step: step })
  await updateReplaced(tx, routeIds, { has_site: 0 })
}

export async function finishReplacements(tx: Database, routeIds: readonly number[]): Promise<void> {
  await updateReplacements(tx, routeIds, {
    status: 'active',
    failed_step: null,
    error_code: null,
    replacement_step: null,
    replaces_route_id: null,
  })
  await deleteRoutes(tx, routeIds)
}
