import type { Store } from '@fleet/store'
import type { ServiceDeps } from '#/managed-services/api.ts'
import type { Network } from '#/network/api.ts'
import type { RoleHolders } from '#/nodes/api.ts'
import type { PoolSource, ProductionSource } from '#/php/ports.ts'

export interface PhpDeps extends ServiceDeps {
  readonly store: Store
  readonly holders: Pick<RoleHolders, 'of'>
  /** Without a private network the machines of the Nodes are somebody's own: nothing is written there. */
  readonly network: Pick<Network, 'settings'>
  readonly pools: PoolSource
  readonly production: ProductionSource
}
