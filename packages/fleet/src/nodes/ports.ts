/** What Nodes need from the domain of Instances, which stands above them. */
export interface CheckoutPaths {
  /** Absolute checkout paths of the Instances on a Node. */
  pathsOn(nodeId: number): Promise<readonly string[]>
  /** Development Instances per Project on a Node, for exclusion records. */
  developmentCounts(nodeId: number): Promise<ReadonlyMap<number, number>>
}
