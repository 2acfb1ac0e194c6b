import { fail, type ProcessData, processStatusRules } from '@fleet/contract'
import type { HandlerRequest } from '#/handler.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { actAnew, actAsInstalled, halt } from '#/processes/apply.ts'
import { ready } from '#/processes/connections/values.ts'
import type { ProcessAction } from '#/processes/commands/act.ts'
import { findProcess } from '#/processes/find.ts'
import { holdingProcess, requireActive, requireRelease } from '#/processes/locking.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { updateRow } from '#/processes/queries.ts'
import { markStarted, wakeIfCold } from '#/processes/sleep/mark-started.ts'
import type { ProcessRecord } from '#/processes/record.ts'

type Request = HandlerRequest<{ readonly process: number }, { readonly process: ProcessRecord }>

/** The desired state is stored first: whatever becomes of the request, Doctor and converge know what was wanted (PROC-013). */
export const makeAction =
  (deps: ProcessesDeps, action: ProcessAction) =>
  async ({ call, input, found }: Request): Promise<{ readonly data: ProcessData }> => {
    const seen = found?.process ?? (await findProcess(deps, input.process))
    if (!seen) throw fail('process.not_found')
    call.note.subject('process', seen.id)
    call.note.target(seen.node.id)
    return holdingProcess(deps, call, seen, async (process) => {
      const { id, status, owner, node } = process
      if (!processStatusRules[status].isInstalled)
        throw fail('process.not_active', { details: { process_id: id, status } })
      requireActive(owner)
      if (action !== 'stop') await requireRelease(deps, owner)
      const desired_state = action === 'stop' ? 'stopped' : 'running'
      await updateRow(deps.store.db, id, { desired_state })
      const session = deps.nodes.sessions.overTunnel(call, node)
      const observed = await (action === 'stop'
        ? halt(deps, session, process)
        : run(deps, session, process, action))
      const data = presentProcess(
        { ...process, desired_state },
        { status: observed, cpu: null, memoryBytes: null },
      )
      call.event('process.status', data)
      if (action === 'stop') await wakeIfCold(deps, session, process)
      return { data }
    })
  }

async function run(
  deps: ProcessesDeps,
  session: NodeSession,
  process: ProcessRecord,
  action: 'start' | 'restart',
): Promise<string> {
  const wanted = await ready(deps, process)
  const observed =
    (await actAsInstalled(deps, session, wanted, action)) ?? (await actAnew(deps, session, wanted, action))
  await markStarted(deps, session, wanted)
  return observed
}
