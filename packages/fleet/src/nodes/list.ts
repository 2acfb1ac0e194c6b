import type { Store } from '@fleet/store'
import type { Handler } from '#/handler.ts'
import { presentNode } from '#/nodes/present.ts'
import { listAddressableNodes } from '#/nodes/queries.ts'
import type { NodeRecord } from '#/nodes/record.ts'

/** By name; the caller's own Node and those it holds grants on (GW-009, NODE-025). */
export const makeList =
  ({ db }: Store): Handler<'node:list'> =>
  async ({ call }) => {
    const { caller } = call
    const nodes = caller ? await listAddressableNodes(db, caller.id) : []
    return {
      data: nodes.filter((node) => node.id === caller?.id || !isStoppedGateway(node)).map(presentNode),
    }
  }

/** A grant on it authorizes nothing (GW-005). */
const isStoppedGateway = ({ status, activeRoles }: NodeRecord): boolean =>
  status !== 'active' && activeRoles.includes('gateway')
