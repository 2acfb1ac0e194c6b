import { invalid } from '@fleet/contract'
import type { Handler } from '#/handler.ts'
import { makeJoin } from '#/processes/find.ts'
import { observe } from '#/processes/observe.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { listRows } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'

/** By id: Processes on Nodes that the caller may address (PROC-011, GW-009). */
export const makeList =
  (deps: ProcessesDeps): Handler<'process:list'> =>
  async ({ call, input: { target_type: type, target_id: id } }) => {
    if (id !== undefined && type === undefined) throw invalid({ target_id: ['needs target_type'] })
    const addressable = call.caller ? await deps.nodes.addressable(call.caller) : new Set<number>()
    const join = makeJoin(deps)
    const shown: ProcessRecord[] = []
    for (const row of await listRows(deps.store.db, { type, id })) {
      const process = await join(row)
      if (process && addressable.has(process.node.id)) shown.push(process)
    }
    const seen = await observe(deps, call, shown)
    return { data: shown.map((process) => presentProcess(process, seen.get(process.id))) }
  }
