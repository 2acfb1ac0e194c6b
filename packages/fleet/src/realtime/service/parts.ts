import type { Clock } from '@fleet/kernel'
import type { Certificates } from '#/certificates/api.ts'
import type { Network } from '#/network/api.ts'
import type { NodeExecutables, RoleHolders } from '#/nodes/api.ts'
import type { RealtimeDomain } from '#/realtime/api.ts'
import { SERVER_PLACES, type ServerPlaces } from '#/realtime/service/place.ts'
import type { ServerProbe } from '#/realtime/service/ports.ts'

export interface ServiceParts {
  readonly clock: Clock
  readonly holders: RoleHolders
  readonly realtime: Pick<RealtimeDomain, 'place'>
  readonly network: Pick<Network, 'settings'>
  readonly certificates: Pick<Certificates, 'publishLeaf' | 'withdrawLeaf' | 'inspectServed'>
  readonly executables: NodeExecutables
  readonly probe: ServerProbe
  /** On which the server is to listen. */
  readonly websocketPort: number
  /** Other places for tests that run the real scripts on this machine. */
  readonly places?: ServerPlaces
}

export const placesOf = ({ places }: Pick<ServiceParts, 'places'>): ServerPlaces => places ?? SERVER_PLACES
