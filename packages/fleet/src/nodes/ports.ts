import type { Call } from '#/call.ts'

/** What Nodes need from private DNS, which is above them. */
export interface NodeNames {
  /** Answers the names of the records as they are now. */
  publish(call: Call): Promise<void>
  /** The Route that would lose its domain to a Node of this name (decision 0122), with the Node that serves it; undefined without one. */
  routeUnder(name: string): Promise<{ readonly domain: string; readonly node_id: number | null } | undefined>
}

/** What Nodes need from Instances, which are above them. */
export interface DevelopmentInstances {
  /** Development Instances per Project on a Node, for exclusion records. */
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
}
