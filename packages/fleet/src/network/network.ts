import type { Call } from '#/call.ts'
import type { DnsRepair } from '#/network/repair-dns.ts'
import type { NetworkSettings } from '#/network/settings.ts'
import type { Tunnel } from '#/network/tunnel.ts'
import type { FamilyChecks } from '#/nodes/api.ts'

/** The WireGuard network between the Nodes: a star with the `vpn` Node as its hub. */
export interface Network {
  /** What Nodes need of it. */
  readonly tunnel: Tunnel
  /** Stores its settings; for the installer. Throws `vpn.configuration_invalid`. */
  configure(settings: NetworkSettings): Promise<void>
  /** Nodes that are leaving and have not rejoined: publications no longer include them. */
  leaving(): Promise<ReadonlySet<number>>
  /** Undefined for a gateway without a private network. */
  settings(): Promise<NetworkSettings | undefined>
  /** Puts the resolver of a managed peer in order again; a command of the gateway's console (NODE-133). */
  repairDns(call: Call, nodeName: string): Promise<DnsRepair>
  /** Its part of the family `role`. */
  readonly checks: FamilyChecks
}
