import type { NodeRecord } from '#/nodes/api.ts'
import type { Pool } from '#/php/pool.ts'
import type { ProductionService } from '#/php/production/service-record.ts'

/** A domain above whose records need pools. */
export interface PoolSource {
  /** The pools of the Node as the records are now: of every application directory with PHP that a Route serves. */
  poolsOn(node: NodeRecord): Promise<readonly Pool[]>
}

/** A domain above whose records say which production Instances run PHP. */
export interface ProductionSource {
  /** The services of the Node as the records are now, by id of the Instance. */
  servicesOn(node: Pick<NodeRecord, 'id'>): Promise<readonly ProductionService[]>
}
