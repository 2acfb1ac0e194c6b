/** What private DNS needs from Routes, which are above it. */
export interface RouteNames {
  /** Every name of a Route that is to be answered, with where it is served (RTX-108, RTX-109). */
  list(): Promise<readonly RouteName[]>
}

/** A Node-scoped Route or custom proxy is served by a Node, a Cluster-scoped one by the Router of its Cluster. */
export type RouteName = {
  readonly domain: string
  /** Node of the Instance behind it: the Route moves with the Cluster of that. Absent for one that stays where it is. */
  readonly instanceNodeId?: number
} & ({ readonly nodeId: number } | { readonly clusterId: number })
