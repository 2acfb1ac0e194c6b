import type { Store } from '@fleet/store'
import { presentActivity } from '#/activities/present.ts'
import { listActivities } from '#/activities/queries.ts'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import type { Nodes } from '#/nodes/api.ts'

/** Which Nodes a caller may address (GW-009). */
export type Addressing = Pick<Nodes, 'addressable' | 'hasGatewayGrant'>

/**
 * Rows whose caller or target Node the caller may address; a gateway grant shows all (ACT-009).
 * The list request itself is not among them, because a read is stored when it ends (ACT-005).
 */
export const makeList =
  ({ db }: Store, addressing: Addressing): Handler<'activity:list'> =>
  async ({ call, input }) => {
    const rows = await listActivities(db, {
      limit: input.limit,
      beforeId: input.before_id,
      requestIds: input.request_id === undefined ? undefined : spellings(input.request_id),
      status: input.status,
      command: input.command,
      callerNodeId: input.caller_node_id,
      targetNodeId: input.target_node_id,
      visibleNodeIds: await visibleNodeIds(addressing, call),
    })
    return { data: rows.map(presentActivity) }
  }

/** A client's id is stored as it was sent; a reader may write it in either case. */
const spellings = (id: string): readonly string[] => [...new Set([id, id.toLowerCase(), id.toUpperCase()])]

async function visibleNodeIds(
  addressing: Addressing,
  { caller }: Call,
): Promise<readonly number[] | undefined> {
  if (!caller) return [-1]
  if (await addressing.hasGatewayGrant(caller)) return undefined
  return [...(await addressing.addressable(caller))]
}
