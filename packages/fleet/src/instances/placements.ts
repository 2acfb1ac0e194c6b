import type { DevelopmentInstances } from '#/nodes/api.ts'

/** Which Instances a Node has; the port of Nodes among it. */
export interface CheckoutPaths extends DevelopmentInstances {
  /** Absolute checkout paths of the Instances on a Node. */
  pathsOn(nodeId: number): Promise<readonly string[]>
  /** Open transfers that lead to the Node or have yet to delete an old checkout there. */
  openTransfers(nodeId: number): Promise<number>
}
