import type { Handler } from '#/handler.ts'
import type { InstanceDeps } from './deps.ts'
import { presentInstance } from './present.ts'

/** The Instances on Nodes that the caller may address, by Project slug and name (GW-009). */
export const makeList =
  ({ nodes, queries, routes }: InstanceDeps): Handler<'instance:list'> =>
  async ({ call }) => {
    const nodeIds = call.caller ? await nodes.addressable(call.caller) : new Set<number>()
    const [listed, own] = await Promise.all([queries.listOn(nodeIds), routes.own()])
    return { data: listed.map(({ row, owner }) => presentInstance(row, owner, own.get(row.id))) }
  }
