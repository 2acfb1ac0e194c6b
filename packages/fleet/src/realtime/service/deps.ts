import type { Clock } from '@fleet/kernel'
import type { Certificates } from '#/certificates/api.ts'
import type { ServiceDeps } from '#/managed-services/api.ts'
import type { Network } from '#/network/api.ts'
import type { RoleHolders } from '#/nodes/api.ts'
import type { RealtimeDomain } from '#/realtime/make.ts'
import type { ServerProbe } from '#/realtime/service/ports.ts'

export interface WebsocketDeps extends ServiceDeps {
  readonly clock: Clock
  readonly holders: RoleHolders
  readonly realtime: Pick<RealtimeDomain, 'place'>
  readonly network: Pick<Network, 'settings'>
  readonly certificates: Pick<Certificates, 'publishLeaf' | 'withdrawLeaf' | 'inspectServed'>
  readonly probe: ServerProbe
  /** On which the server is to listen. */
  readonly websocketPort: number
  /** Hosts of pages that it admits. */
  readonly websocketOrigins: readonly string[]
  /** Unix user that it runs as; another one for tests on this machine. */
  readonly account?: string
}

export const accountOf = ({ account }: Pick<WebsocketDeps, 'account'>): string => account ?? 'fleet-websocket'
