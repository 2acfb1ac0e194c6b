import { FEED_CHANNEL } from '@fleet/contract'

/** The feed's name on the wire: what its clients know as `fleet` is a private channel (decisions 13). */
export const FEED_WIRE_CHANNEL = `private-${FEED_CHANNEL}`

/** A channel that the general endpoint signs. */
export type SignedChannel =
  | { readonly kind: 'feed'; readonly name: string }
  | { readonly kind: 'node'; readonly name: string; readonly nodeId: number }

const NODE_CHANNEL = /^presence-node\.([1-9]\d{0,15})$/

/** Undefined for every other name: log channels, those of agents, and what is malformed (RT-012 to RT-014, decisions 14). */
export function readChannel(name: string): SignedChannel | undefined {
  // The synonym is signed under the name that travels.
  if (name === FEED_CHANNEL || name === FEED_WIRE_CHANNEL) return { kind: 'feed', name }
  const [, id] = NODE_CHANNEL.exec(name) ?? []
  return id === undefined ? undefined : { kind: 'node', name, nodeId: Number(id) }
}
