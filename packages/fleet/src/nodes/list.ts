import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { presentNode } from '#/nodes/present.ts'
import { listAddressableNodes } from '#/nodes/queries.ts'

/** By name; the caller's own Node and those it holds grants on (GW-009, NODE-025). */
export const makeList =
  ({ db }: Store): Handler<'node:list'> =>
  async ({ call }) => {
    const nodes = call.caller ? await listAddressableNodes(db, call.caller.id) : []
    return { data: nodes.map(presentNode) }
  }
