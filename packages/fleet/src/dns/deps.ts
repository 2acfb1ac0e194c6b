import type { Store } from '@fleet/store'
import type { RouteNames } from '#/dns/ports.ts'
import type { ServiceDeps } from '#/managed-services/api.ts'
import type { Network } from '#/network/api.ts'
import type { Nodes } from '#/nodes/api.ts'

export interface DnsDeps extends ServiceDeps {
  readonly store: Store
  readonly nodes: Pick<Nodes, 'find' | 'sessions'>
  readonly network: Pick<Network, 'settings' | 'leaving'>
  readonly routes: RouteNames
}
