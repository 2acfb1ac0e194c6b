import type { Store } from '@fleet/store'
import { presentRule } from '#/firewall/present.ts'
import { listRules, listRulesOf } from '#/firewall/queries.ts'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'

/** By Node and name, of the Nodes that the caller may address (FW-003). */
export const makeList =
  ({ db }: Store, nodes: Pick<Nodes, 'addressable'>): Handler<'firewall:list'> =>
  async ({ call }) => {
    const ids = call.caller ? [...(await nodes.addressable(call.caller))] : []
    return { data: (await listRules(db, ids)).map(presentRule) }
  }

/** By name (FW-004). */
export const makeNodeList =
  ({ db }: Store): Handler<'node:firewall:list'> =>
  async ({ input }) => ({ data: (await listRulesOf(db, input.node)).map(presentRule) })
