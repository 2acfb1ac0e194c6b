import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { findCallerAccounts } from '#/nodes/callers/queries.ts'
import { consumerNodesOf, servingNodesOf } from '#/nodes/grants/queries.ts'
import { requireNode } from '#/nodes/locks.ts'
import type { Exclusions } from '#/nodes/nodes.ts'
import { presentNode } from '#/nodes/present.ts'

/** The record with grants of both directions and excluded Projects (NODE-017, NODE-018). */
export const makeShow =
  (store: Store, exclusions: Exclusions): Handler<'node:show'> =>
  async ({ input, found }) => {
    const node = found?.node ?? (await requireNode(store, input.node))
    return {
      data: {
        ...presentNode(node),
        access: {
          can_access: await servingNodesOf(store.db, node.id),
          accessible_by: await consumerNodesOf(store.db, node.id),
        },
        excluded_projects: await exclusions.ofNode(node.id),
        callers: await callersOf(store, node.id),
      },
    }
  }

async function callersOf({ db }: Store, nodeId: number): Promise<string[] | null> {
  const accounts = await findCallerAccounts(db, nodeId)
  return accounts && [...accounts]
}
