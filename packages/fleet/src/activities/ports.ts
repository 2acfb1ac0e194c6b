import type { Caller } from '#/call.ts'

/** What Activities need from the domain of Nodes, which stands above them. */
export interface Addressing {
  /** Ids of the Nodes that the caller may address, itself included (GW-009). */
  addressable(caller: Caller): Promise<ReadonlySet<number>>
  hasGatewayGrant(caller: Caller): Promise<boolean>
}
