import { fail, type ProcessData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { findOwner } from '#/instances/api.ts'
import { requireOwnMachine } from '#/nodes/api.ts'
import { findDocker } from '#/processes/commands/containers.ts'
import { installProcess } from '#/processes/install.ts'
import { refusePortsOfServers, storedOrNew, type StoredProcess } from '#/processes/reserve.ts'
import { holdingOwner, holdingProcess, requireActive } from '#/processes/locking.ts'
import { observe } from '#/processes/observe.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import { presentProcess } from '#/processes/present.ts'
import { findNamed } from '#/processes/queries.ts'
import type { ProcessOwner } from '#/processes/record.ts'
import { replaceRefused } from '#/processes/replace-refused.ts'
import { type ProcessRequest, requestOrRefuse, requirePresetTarget } from '#/processes/rules.ts'
import { isForeign, removeProcess } from '#/processes/steps/removal.ts'

/** Stores a Process and installs its unit; an exact repeat answers the stored one (PROC-012, PROC-028). */
export const makeCreate =
  (deps: ProcessesDeps): Handler<'process:create'> =>
  async ({ call, input }) => {
    const request = requestOrRefuse(input)
    const owner = await findOwner(deps, input.target_type, input.target_id)
    if (!owner) throw fail(input.target_type === 'instance' ? 'instance.not_found' : 'node.not_found')
    call.note.target(owner.node.id)
    requireActive(owner)
    requireRuntime(request, owner)
    const stored = await holdingOwner(deps, call, owner, async (current) => {
      requireActive(current)
      requirePresetTarget(request, current)
      await replaceRefused(deps, call, current, request)
      await requireDocker(deps, call, current, request)
      return storedOrNew(deps, current, request, refusePortsOfServers(deps, current, request))
    })
    call.note.subject('process', stored.row.id)
    return finish(deps, call, owner, stored)
  }

/** Throws `node.capability_missing`: an embedded Node has neither systemd nor Docker of its own. */
export function requireRuntime({ runtime }: ProcessRequest, { node }: ProcessOwner): void {
  requireOwnMachine(node, runtime, `${runtime}, which runs such Processes`)
}

/** Before anything is stored; an exact repeat needs no Node that answers. Throws `node.capability_missing`. */
async function requireDocker(
  { store, nodes }: ProcessesDeps,
  call: Call,
  { type, id, node }: ProcessOwner,
  { runtime, name }: ProcessRequest,
): Promise<void> {
  if (runtime !== 'docker' || (await findNamed(store.db, type, id, name))) return
  await nodes.sessions.overTunnel(call, node).ask(findDocker, undefined)
}

/** Resumes a creation that was interrupted or failed; a Process that is active is returned unchanged. */
const finish = (
  deps: ProcessesDeps,
  call: Call,
  owner: ProcessOwner,
  { row, isNew }: StoredProcess,
): Promise<{ readonly data: ProcessData; readonly created: boolean }> =>
  holdingProcess(deps, call, { id: row.id, owner }, async (process) => {
    if (process.status === 'active') {
      const seen = await observe(deps, call, [process])
      return { data: presentProcess(process, seen.get(process.id)), created: false }
    }
    if (process.status === 'removing') throw fail('process.not_active', { details: { process_id: row.id } })
    requireActive(process.owner)
    const session = deps.nodes.sessions.overTunnel(call, process.node)
    try {
      return { data: await installProcess(deps, session, process), created: isNew }
    } catch (error) {
      // A refusal leaves nothing (GW-027), and the next request gets another id and name on the Node.
      if (isNew && isForeign(error)) await removeProcess({ deps, call, process, session })
      throw error
    }
  })
