import type { Database } from '@fleet/store'
import type { TransferRequest } from './transfer/record.ts'
import type { DevelopmentInstances } from '#/nodes/api.ts'

/** Which Instances a Node has; the port of Nodes among it. */
export interface CheckoutPaths extends DevelopmentInstances {
  /** Absolute checkout paths of the Instances on a Node. */
  pathsOn(nodeId: number, within?: Database): Promise<readonly string[]>
  /** Open transfers that lead to the Node or have yet to delete an old checkout there, by the id of the Instance. */
  openTransfers(nodeId: number, within?: Database): Promise<readonly TransferRequest[]>
}
