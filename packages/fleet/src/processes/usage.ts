import type { Call } from '#/call.ts'
import { makeJoin } from '#/processes/find.ts'
import { observe } from '#/processes/observe.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { listRows } from '#/processes/queries.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import type { ProcessSample } from '#/realtime/api.ts'

/** What every Process of the fleet uses at this moment, by id (EV-033). */
export async function sampleUsage(deps: ProcessesDeps, call: Call): Promise<readonly ProcessSample[]> {
  const join = makeJoin(deps)
  const processes: ProcessRecord[] = []
  for (const row of await listRows(deps.store.db)) {
    const process = await join(row)
    if (process) processes.push(process)
  }
  const seen = await observe(deps, call, processes)
  return processes.map(({ id }) => {
    const { cpu = null, memoryBytes = null } = seen.get(id) ?? {}
    return { id, cpu, memoryBytes }
  })
}
