import type { Call } from '#/call.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** The fleet's own DNS answers. */
export interface PrivateDns {
  /** Renders the catalog from the records and waits until the listener has loaded it (RTX-105). Does nothing without a `vpn` Node. */
  publish(call: Call): Promise<void>
  /** The same; whether anybody was told something else before. */
  confirm(call: Call): Promise<'changed' | 'unchanged'>
  /** Waits until nobody publishes. Throws `app-dev.projection_busy` (RTE-101). */
  idle(call: Call): Promise<void>
  /** The same as if the Node were gone; the number of names that went with it. */
  publishWithout(call: Call, node: NodeRecord): Promise<number>
}
