import type { Handler } from '#/handler.ts'
import { withOwners } from '#/schedules/find.ts'
import type { SchedulesParts } from '#/schedules/parts.ts'
import { presentListed } from '#/schedules/present.ts'
import { listRows } from '#/schedules/queries.ts'

/** Those on Nodes that the caller may address, by name (SCHD-009). */
export const makeList =
  (parts: SchedulesParts): Handler<'schedule:list'> =>
  async ({ call }) => {
    const addressable = call.caller ? await parts.nodes.addressable(call.caller) : new Set<number>()
    const all = await withOwners(parts, await listRows(parts.store.db))
    return { data: all.filter(({ node }) => addressable.has(node.id)).map(presentListed) }
  }
