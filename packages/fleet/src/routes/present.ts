import type { RouteData } from '@fleet/contract'
import type { RouteRecord } from '#/routes/record.ts'

/** Ids and positions, never an address of the fleet (RTE-027, RTX-020). */
export function presentRoute(route: RouteRecord): RouteData {
  const { targets: rows, has_site: _site, has_name: _name, created_at: _created, ...shown } = route
  const targets = rows.map(({ id, instance_id, position }) => ({ id, instance_id, position }))
  return { ...shown, target: targets[0] ?? null, targets }
}
