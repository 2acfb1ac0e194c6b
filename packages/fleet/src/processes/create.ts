import { fail, type ProcessData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { findOwner, ownerColumns } from '#/instances/api.ts'
import { isEmbedded } from '#/nodes/api.ts'
import { recordOf } from '#/processes/find.ts'
import { holdingOwner, holdingProcess, requireActive, requireRelease } from '#/processes/locking.ts'
import { observe } from '#/processes/observe.ts'
import type { ProcessesParts } from '#/processes/parts.ts'
import { presentProcess } from '#/processes/present.ts'
import { findNamed, findRow, insertRow } from '#/processes/queries.ts'
import { nodeDetail, type ProcessOwner, type ProcessRow } from '#/processes/record.ts'
import { isSame, type ProcessRequest, requestOrRefuse, requirePresetTarget } from '#/processes/rules.ts'
import { createUnit } from '#/processes/steps/creation.ts'

interface Stored {
  readonly row: ProcessRow
  readonly isNew: boolean
}

/** Stores a Process and installs its unit; an exact repeat answers the stored one (PROC-012, PROC-028). */
export const makeCreate =
  (parts: ProcessesParts): Handler<'process:create'> =>
  async ({ call, input }) => {
    const request = requestOrRefuse(input)
    const owner = await findOwner(parts, input.target_type, input.target_id)
    if (!owner) throw fail(input.target_type === 'instance' ? 'instance.not_found' : 'node.not_found')
    call.note.target(owner.node.id)
    requireActive(owner)
    requireRuntime(request, owner)
    const stored = await holdingOwner(parts, call, owner, async (current) => {
      requireActive(current)
      requirePresetTarget(request, current)
      return storedOrNew(parts, current, request)
    })
    call.note.subject('process', stored.row.id)
    return finish(parts, call, owner, stored)
  }

/** Throws `node.capability_missing`: this version runs no containers, and an embedded Node has no systemd. */
function requireRuntime({ runtime }: ProcessRequest, { node }: ProcessOwner): void {
  if (runtime === 'docker')
    throw fail('node.capability_missing', {
      message: 'This version of the gateway does not run containers. Use the runtime `systemd`.',
      details: { ...nodeDetail(node), capability: 'docker' },
    })
  if (isEmbedded(node))
    throw fail('node.capability_missing', {
      message:
        'The Node has no systemd, which runs Processes. Embedded Nodes have none; the lab has real hosts (`npm run lab -- up`).',
      details: { ...nodeDetail(node), capability: 'systemd' },
    })
}

/** Throws `process.name_taken` and `process.release_unavailable`. */
async function storedOrNew(
  parts: ProcessesParts,
  owner: ProcessOwner,
  request: ProcessRequest,
): Promise<Stored> {
  const { db } = parts.store
  const { start, ...columns } = request
  const known = await findNamed(db, owner.type, owner.id, request.name)
  if (!known && start) await requireRelease(parts, owner)
  const row =
    known ??
    (await insertRow(db, {
      ...ownerColumns(owner.type, owner.id),
      ...columns,
      desired_state: start ? 'running' : 'stopped',
      status: 'creating',
      created_at: parts.clock.now().toISOString(),
    }))
  // Another creation of this name came in between.
  if (!row) return storedOrNew(parts, owner, request)
  if (!isSame(row, request) || row.status === 'removing')
    throw fail('process.name_taken', { details: { process_id: row.id, status: row.status } })
  return { row, isNew: !known }
}

/** Resumes a creation that was interrupted or failed; a Process that is active is returned unchanged. */
const finish = (
  parts: ProcessesParts,
  call: Call,
  owner: ProcessOwner,
  { row, isNew }: Stored,
): Promise<{ readonly data: ProcessData; readonly created: boolean }> =>
  holdingProcess(parts, call, { id: row.id, owner }, async (process) => {
    if (process.status === 'active') {
      const seen = await observe(parts, call, [process])
      return { data: presentProcess(process, seen.get(process.id)), created: false }
    }
    if (process.status === 'removing') throw fail('process.not_active', { details: { process_id: row.id } })
    requireActive(process.owner)
    const session = parts.nodes.sessions.overTunnel(call, process.node)
    await createUnit({ parts, call, session, process })
    const stored = (await findRow(parts.store.db, row.id)) ?? row
    const created = recordOf(stored, process.owner)
    const seen = await observe(parts, call, [created])
    const data = presentProcess(created, seen.get(row.id))
    call.event('process.created', data)
    return { data, created: isNew }
  })
