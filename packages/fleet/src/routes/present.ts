import type { RouteData, ShownRouteData } from '@fleet/contract'
import type { RecordedSet } from '@fleet/store'
import type { RouteRecord } from '#/routes/record.ts'

/** Ids and positions, never an address of the fleet (RTE-027, RTX-020). */
export function presentRoute(route: RouteRecord): RouteData {
  const { targets: rows, has_site: _1, has_name: _2, has_source: _3, ...further } = route
  const { php_version: _4, created_at: _5, web_root_change: _6, edge_step, ...rest } = further
  // Of a Process it is what was found when the Route was created (RTE-026).
  const shown = rest.process_id === null ? rest : { ...rest, upstream: null }
  const targets = rows.map(({ id, instance_id, position }) => ({ id, instance_id, position }))
  const replacement_step = shown.replacement_step ?? edge_step
  return { ...shown, replacement_step, target: targets[0] ?? null, targets }
}

/** The request that a recorded set comes from. */
export const presentSet = ({
  targets,
  dispositions,
}: RecordedSet): NonNullable<ShownRouteData['target_set']> => ({
  targets: [...targets],
  dispositions: dispositions.map(({ instance_id, route_id }) =>
    route_id === null ? { instance_id, remove: true } : { instance_id, route_id },
  ),
})
