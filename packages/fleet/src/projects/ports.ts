/** What Projects need from the domain of Instances, which stands above them. */
export interface InstancePlacements {
  /** Ids of the Nodes that run an Instance of the Project, each once. */
  nodeIdsOf(projectId: number): Promise<readonly number[]>
  /** For lists: Project id to Node ids. */
  nodeIdsByProject(): Promise<ReadonlyMap<number, readonly number[]>>
  countOf(projectId: number): Promise<number>
}
