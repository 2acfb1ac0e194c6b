import type { Access as AccessKind, Operation } from '@fleet/contract'
import type { Caller } from '#/call.ts'
import type { Locate, Located } from '#/handler.ts'


/** Identity, record and grant of a request, in this order (decisions 2). */
export interface Access {
  /** The active Node behind the address; undefined only for `public` access, else throws `peer.identity_unknown`. */
  identify(kind: AccessKind, address: string): Promise<Caller | undefined>
  /** Finds what the path, or a body's `node_id`, names; throws the operation's 404 code. */
  readonly locate: Locate
  /** Throws `node_access.required` with both Nodes in the details (GW-008). */
  authorize(operation: Operation, caller: Caller | undefined, located: Located): Promise<void>
}
