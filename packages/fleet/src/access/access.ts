import type { Access as AccessKind, Operation } from '@fleet/contract'
import { type AccessRecords, makeAuthorize } from '#/access/authorize.ts'
import { makeIdentify } from '#/access/identify.ts'
import { makeLocate } from '#/access/locate.ts'
import type { Authenticate } from '#/agents/api.ts'
import type { Caller } from '#/call.ts'
import type { Locate, Located, Locators } from '#/handler.ts'

/** Identity, record and grant of a request, in this order (decisions 2). */
export interface Access {
  /** The active Node behind the address; undefined only for `public` access, else throws `peer.identity_unknown`, and for `agent` access the codes of its secret. */
  identify(kind: AccessKind, address: string, authorization?: string): Promise<Caller | undefined>
  /** Finds what the path, or a body's `node_id`, names; throws the operation's 404 code. */
  readonly locate: Locate
  /** Throws `node_access.required` with both Nodes in the details (GW-008). */
  authorize(operation: Operation, caller: Caller | undefined, located: Located): Promise<void>
}

/** Reads what is stored on every request: a revoked grant loses its effect at once, on every gateway. */
export const makeAccess = (
  deps: AccessRecords & { readonly locators: Locators; readonly authenticateAgent: Authenticate },
): Access => ({
  identify: makeIdentify(deps.nodes, deps.authenticateAgent),
  locate: makeLocate(deps),
  authorize: makeAuthorize(deps.nodes),
})
