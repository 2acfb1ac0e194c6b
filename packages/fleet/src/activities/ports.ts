import type { ActivityNotice } from '@fleet/contract'
import type { Caller } from '#/call.ts'

/** What Activities need from the domain of Nodes, which stands above them. */
export interface Addressing {
  /** Ids of the Nodes that the caller may address, itself included (GW-009). */
  addressable(caller: Caller): Promise<ReadonlySet<number>>
  hasGatewayGrant(caller: Caller): Promise<boolean>
}

/** Whoever tells the world of Activities; the gateway's feed. */
export interface ActivityTeller {
  /** Whether anybody listens: only then is it worth knowing the id of a finished read. */
  isListening(): Promise<boolean>
  /** Resolves when it is told, or given up; never rejects. */
  tell(type: 'activity.created' | 'activity.updated', notice: ActivityNotice): Promise<void>
}
