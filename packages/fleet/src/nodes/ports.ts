/** What Nodes need of Instances, which stand above them. */
export interface DevelopmentInstances {
  /** Development Instances per Project on a Node, for exclusion records. */
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
}
