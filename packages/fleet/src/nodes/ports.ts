import type { Call } from '#/call.ts'

/** What Nodes need from private DNS, which is above them. */
export interface NodeNames {
  /** Answers the names of the records as they are now. */
  publish(call: Call): Promise<void>
  /** The domain of the Route that would lose it to a Node of this name (decision 0122); undefined without one. */
  routeUnder(name: string): Promise<string | undefined>
}

/** What Nodes need from Instances, which are above them. */
export interface DevelopmentInstances {
  /** Development Instances per Project on a Node, for exclusion records. */
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
}
