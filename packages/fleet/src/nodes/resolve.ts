import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Caller } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { servingIdsOf } from '#/nodes/grants/queries.ts'
import type { Nodes } from '#/nodes/nodes.ts'
import { identityOf } from '#/nodes/present.ts'
import { findIdsByName } from '#/nodes/queries.ts'

/**
 * Answers a name to whoever may act on the Node or give grants on it, so that the grant can be asked for by name (GRANT-007); also to
 * whom `node:show` names it, as one that may act on a Node of the caller's, so that such a grant can be taken back.
 */
export const makeResolve =
  (
    store: Store,
    nodes: Pick<Nodes, 'mayActOn' | 'addressable' | 'hasGatewayGrant'>,
  ): Handler<'node:resolve'> =>
  async ({ call, input }) => {
    const { caller } = call
    const [node] = await findIdsByName(store.db, [input.name])
    if (!node || !caller) throw unknownName()
    if (!(await mayKnow(store, nodes, caller, node.id))) throw unknownName()
    return { data: identityOf(node) }
  }

async function mayKnow(
  { db }: Store,
  nodes: Pick<Nodes, 'mayActOn' | 'addressable' | 'hasGatewayGrant'>,
  caller: Caller,
  id: number,
): Promise<boolean> {
  if ((await nodes.mayActOn(caller.id, id)) || (await nodes.hasGatewayGrant(caller))) return true
  const own = await nodes.addressable(caller)
  return (await servingIdsOf(db, id)).some((servingId) => own.has(servingId))
}

/** The same for a Node that the caller may not know of. */
const unknownName = (): Error =>
  fail('node.not_found', { message: 'No Node that the caller can address has this name.' })
