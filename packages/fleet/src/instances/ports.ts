import type { Database } from '@fleet/store'
import type { Call } from '#/call.ts'
import type { NodeSession } from '#/nodes/api.ts'

export interface InstancePlace {
  readonly instanceId: number
  readonly nodeId: number
}

/** What an Instance needs from its Processes, which are above it. Its operation lock is held. */
export interface InstanceRuntime {
  /** Ends what runs in the checkout; its records stay. May be repeated. */
  stop(session: NodeSession, instanceId: number): Promise<void>
  /** Removes units and records. May be repeated. */
  remove(session: NodeSession, instanceId: number): Promise<void>
  /** Deletes the records and records what stays on a Node that does not answer, in the transaction of the Instance's removal. */
  leaveBehind(tx: Database, call: Call, place: InstancePlace): Promise<void>
}
