import type { Row } from '@fleet/store'

export type RouteRow = Row<'routes'>
export type RouteTargetRow = Row<'route_targets'>
export type RouteResidue = Row<'route_residues'>

/** A stored Route with the Instances that it leads to, in order. */
export interface RouteRecord extends RouteRow {
  readonly targets: readonly RouteTargetRow[]
}

/** A custom proxy: it is served by one Node and leads to a service there. */
export interface ProxyRecord extends RouteRecord {
  readonly kind: 'custom_proxy'
  readonly node_id: number
  readonly upstream: string
}

/** Throws for a row that no creation of a custom proxy has stored. */
export function asProxy(route: RouteRecord): ProxyRecord {
  const { kind, node_id, upstream } = route
  if (kind !== 'custom_proxy' || node_id === null || upstream === null)
    throw new Error(`the Route ${route.id} is no custom proxy`)
  return { ...route, kind, node_id, upstream }
}
