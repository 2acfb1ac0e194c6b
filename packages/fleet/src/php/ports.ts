import type { NodeRecord } from '#/nodes/api.ts'
import type { Pool } from '#/php/pool.ts'

/** A domain above whose records need pools. */
export interface PoolSource {
  /** The pools of the Node as the records are now: of every application directory with PHP that a Route serves. */
  poolsOn(node: NodeRecord): Promise<readonly Pool[]>
}
