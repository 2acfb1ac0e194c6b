import type { Call } from '#/call.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { type Due, dueOf } from '#/hibernation/rules.ts'
import { type InstanceRecord, isTransferOpen } from '#/instances/api.ts'
import type { NodeSession } from '#/nodes/api.ts'
import { markersOf } from '#/processes/api.ts'

/** An Instance whose operation lock is held, and a session to its Node. */
export interface HeldInstance {
  readonly instance: InstanceRecord
  readonly session: NodeSession
}

/** Runs the work under the operation lock if it still is due: somebody may have come in between. */
export async function whileDue(
  deps: HibernationDeps,
  call: Call,
  { instanceId, due }: { readonly instanceId: number; readonly due: NonNullable<Due> },
  work: (held: HeldInstance) => Promise<void>,
): Promise<void> {
  await deps.instances.withOperationLock(call, instanceId, 'instance.lifecycle_busy', async () => {
    const held = await heldInstance(deps, call, instanceId)
    if (!held) return
    const found = await markersOf(held.session, { root: deps.root, instanceId })
    if (found && dueOf(found, deps.settings) === due) await work(held)
  })
}

/** The Instance as it is now; undefined when it is gone or changing, or when hibernation never touches it (HIB-007). */
export async function heldInstance(
  { instances, nodes }: Pick<HibernationDeps, 'instances' | 'nodes'>,
  call: Call,
  instanceId: number,
): Promise<HeldInstance | undefined> {
  const instance = await instances.find(instanceId)
  if (instance?.status !== 'active' || instance.environment === 'production') return undefined
  if (instance.node.status !== 'active') return undefined
  if (isTransferOpen(instance.transfer)) return undefined
  await instances.requireIdle(instance)
  call.note.subject('instance', instanceId)
  call.note.target(instance.node_id)
  return { instance, session: nodes.sessions.overTunnel(call, instance.node) }
}
