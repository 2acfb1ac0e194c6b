import type { DevelopmentInstances } from '#/nodes/api.ts'

/** Which Instances a Node has; the port of Nodes among it. */
export interface CheckoutPaths extends DevelopmentInstances {
  /** Absolute checkout paths of the Instances on a Node. */
  pathsOn(nodeId: number): Promise<readonly string[]>
}
