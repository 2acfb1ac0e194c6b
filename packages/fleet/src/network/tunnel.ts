import type { Database } from '@fleet/store'
import type { OnForeign } from '#/network/commands/resolver-words.ts'
import type { Call } from '#/call.ts'
import type { NodeSession, NodeRecord } from '#/nodes/api.ts'

/** The private network. Each call may be repeated. Throws `vpn.*` codes and those of NodeSession. */
export interface Tunnel {
  /** Throws `node.capability_missing` for a gateway without a private network, such as the embedded one. */
  requireConfigured(): Promise<void>
  /** A free address of the fleet's range, or the wanted one. Throws `vpn.address_invalid`, `vpn.address_taken`, `vpn.range_exhausted`. */
  allocate(wanted: string | null): Promise<string>
  /**
   * Step 4, over public SSH or a tunnel that runs already: keys on the machine, its peer on the hub without disturbing
   * others, its tunnel up, and SSH over the tunnel answering with the pinned key. For the Node that is to be the hub it makes the hub. The private key
   * never leaves the machine (NODE-053). With `onForeign: 'replace'` a foreign resolver state is set aside.
   */
  join(session: NodeSession, options: JoinOptions): Promise<Joined>
  /** Writes the hub's peer list as the records want it; false when the hub had it already. */
  publish(call: Call): Promise<boolean>
  /**
   * Publishes without this Node, whose record still exists (step `wireguard-projection`). True when its peer was there.
   */
  leave(call: Call, node: NodeRecord): Promise<boolean>
  /** Takes a leave back: until then, or until it joins again, no publication admits the Node (step `wireguard-rollback`). */
  rejoin(call: Call, node: NodeRecord): Promise<void>
  /**
   * In the transaction that deletes the record of a Node that left: nothing is noted of it any more. False when it rejoined meanwhile, so
   * that its peer is published again.
   */
  endLeave(tx: Database, node: NodeRecord): Promise<boolean>
  /** True when something was not so. The first active role moves a Node to managed DNS, losing the last one back to the `DNS` line (NODE-065, NODE-066, NODE-130, NODE-131). */
  applyResolver(
    session: NodeSession,
    managed: boolean,
    options?: Pick<JoinOptions, 'onForeign'>,
  ): Promise<boolean>
  /** The machine resolves names as if it had no tunnel, now and after the next start of that; for one that leaves (NODE-065). */
  releaseResolver(session: NodeSession): Promise<void>
}

export interface JoinOptions {
  readonly isHub: boolean
  readonly onForeign?: OnForeign
}

export interface Joined {
  readonly publicKey: string
  /** False when the machine and the hub were so already. */
  readonly changed: boolean
}
