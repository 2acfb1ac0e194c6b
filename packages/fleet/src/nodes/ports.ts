import type { Call } from '#/call.ts'

/** What Nodes need of private DNS, which stands above them. */
export interface NodeNames {
  /** Answers the names of the records as they are now. */
  publish(call: Call): Promise<void>
}

/** What Nodes need of Instances, which stand above them. */
export interface DevelopmentInstances {
  /** Development Instances per Project on a Node, for exclusion records. */
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
}
