import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/nodes.ts'
import { identityOf } from '#/nodes/present.ts'
import { findIdsByName } from '#/nodes/queries.ts'

/** Answers a name to whoever may act on the Node or give grants on it, so that the grant can be asked for by name (GRANT-007). */
export const makeResolve =
  (store: Store, nodes: Pick<Nodes, 'mayActOn' | 'hasGatewayGrant'>): Handler<'node:resolve'> =>
  async ({ call, input }) => {
    const { caller } = call
    const [node] = await findIdsByName(store.db, [input.name])
    if (!node || !caller) throw unknownName()
    if (!(await nodes.mayActOn(caller.id, node.id)) && !(await nodes.hasGatewayGrant(caller)))
      throw unknownName()
    return { data: identityOf(node) }
  }

/** The same for a Node that the caller may not know of. */
const unknownName = (): Error =>
  fail('node.not_found', { message: 'No Node that the caller can address has this name.' })
