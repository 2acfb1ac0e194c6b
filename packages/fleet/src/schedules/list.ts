import type { Handler } from '#/handler.ts'
import { withOwners } from '#/schedules/find.ts'
import type { SchedulesDeps } from '#/schedules/deps.ts'
import { presentListed } from '#/schedules/present.ts'
import { listRows } from '#/schedules/queries.ts'

/** Those on Nodes that the caller may address, by name (SCHD-009). */
export const makeList =
  (deps: SchedulesDeps): Handler<'schedule:list'> =>
  async ({ call }) => {
    const addressable = call.caller ? await deps.nodes.addressable(call.caller) : new Set<number>()
    const all = await withOwners(deps, await listRows(deps.store.db))
    return { data: all.filter(({ node }) => addressable.has(node.id)).map(presentListed) }
  }
