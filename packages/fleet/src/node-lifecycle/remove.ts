import { fail, type NodeRemovalData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { holdingNode, holdingRoles, listRoles, nodeAnswers, type NodeRecord } from '#/nodes/api.ts'
import type { LifecycleDeps } from '#/node-lifecycle/enrolment/provisioning.ts'
import { requireUnowned, requireUnprotected } from '#/node-lifecycle/removal/guards.ts'
import { residueOf } from '#/node-lifecycle/removal/residue.ts'
import { hasJoined, readRemoval, type Removal, type RemovalKind } from '#/node-lifecycle/removal/removal.ts'
import { runRemoval } from '#/node-lifecycle/removal/run.ts'

interface Flags {
  readonly force: boolean
  readonly offline: boolean
}

/** Removes a Node from the fleet, or resumes an interrupted removal (NODE-085 to NODE-097). */
export const makeRemove =
  (deps: LifecycleDeps): Handler<'node:remove'> =>
  async ({ call, input, found }) => {
    const flags = { force: input.force ?? false, offline: input.offline ?? false }
    call.note.property('force', flags.force)
    call.note.property('offline', flags.offline)
    return holdingNode(deps.store, call, found?.node ?? input.node, async (node) => {
      const kind = await kindOf(deps, call, node, flags)
      const remove = (): Promise<NodeRemovalData> => removeAs(deps, call, node, kind)
      // Of a silent Node nothing changes but records, and who waits for its machine must not hold this up.
      const data = kind === 'silent' ? await remove() : await holdingRoles(deps.store, call, node.id, remove)
      call.event('node.deleted', { id: node.id, name: node.name })
      return { data }
    })
  }

async function removeAs(
  deps: LifecycleDeps,
  call: Call,
  node: NodeRecord,
  kind: RemovalKind,
): Promise<NodeRemovalData> {
  const rows = await listRoles(deps.store.db, node.id)
  const roles = rows.map((row) => row.role)
  requireUnprotected(call, node, roles)
  await requireUnowned(deps.services.owned, node, roles, kind === 'silent')
  await deps.services.tunnel.requireConfigured()
  const outcome = { ...readRemoval(node).outcome }
  const removal: Removal = { deps, call, node, kind, roles, outcome }
  await runRemoval(removal)
  return {
    id: node.id,
    name: node.name,
    removed: true,
    wireguard_peer_removed: outcome.peerRemoved,
    dns_records_removed: outcome.namesRemoved,
    ...residueOf(removal),
  }
}

/** Asks the machine before anything else when it may be gone (NODE-093, NODE-094). */
async function kindOf(
  { ssh }: LifecycleDeps,
  call: Call,
  node: NodeRecord,
  { force, offline }: Flags,
): Promise<RemovalKind> {
  if (!hasJoined(node)) return 'reachable'
  if (!offline) return 'online'
  if (await nodeAnswers(ssh, call, node)) return 'reachable'
  const identity = { id: node.id, name: node.name }
  if (!force) throw fail('node.confirmation_required', { details: { node: identity } })
  return 'silent'
}
