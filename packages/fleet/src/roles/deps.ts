import type { Clock } from '@fleet/kernel'
import type { Call } from '#/call.ts'
import type { Database, Store } from '@fleet/store'
import type { ClusterMembership } from '#/clusters/api.ts'
import type { Dns } from '#/dns/api.ts'
import type { NodeFirewall } from '#/firewall/api.ts'
import type { Tunnel } from '#/network/api.ts'
import type { ToolManagers } from '#/tools/api.ts'
import type { Php } from '#/php/api.ts'
import type { RouterSites } from '#/routes/api.ts'
import type { WebServer } from '#/web-server/api.ts'
import type { WebsocketService } from '#/realtime/api.ts'

export interface RolesDeps {
  readonly store: Store
  readonly clock: Clock
  readonly firewall: Pick<NodeFirewall, 'applyRole' | 'withdrawRole'>
  readonly membership: Pick<ClusterMembership, 'tldOf'>
  readonly tunnel: Pick<Tunnel, 'publish'>
  readonly dns: Pick<Dns, 'ensure'>
  /** The server of the feed on its Node. */
  readonly websocket: Pick<WebsocketService, 'requireCapable' | 'convergence' | 'removal'>
  /** What serves sites on a Node. */
  readonly webServer: Pick<WebServer, 'build'>
  /** What a Router serves. */
  readonly routers: Pick<RouterSites, 'convergence' | 'withdrawal'>
  /** What waits for an ingress, and who is behind it. */
  readonly edge: {
    publishWaiting(db: Database, clusterId: number): Promise<void>
    followIngress(call: Call, clusterId: number): Promise<void>
  }
  /** What installs packages of projects on a Node. */
  readonly toolManagers: Pick<ToolManagers, 'ensureComposer'>
  /** What runs PHP of development on a Node. */
  readonly php: Pick<Php, 'converge' | 'withdraw'>
}
