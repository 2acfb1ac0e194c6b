import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { HibernationDeps } from '#/hibernation/deps.ts'
import { type Due, dueOf } from '#/hibernation/rules.ts'
import { type InstanceRecord, isTransferOpen, requirePlaced } from '#/instances/api.ts'
import { nodeDetail, type NodeSession } from '#/nodes/api.ts'
import { markersOf } from '#/processes/api.ts'

/** An Instance, and a session to its Node. */
export interface HeldInstance {
  readonly instance: InstanceRecord
  readonly session: NodeSession
}

/** As people and commands call it. */
export const nameOf = ({ project, name }: HeldInstance['instance']): string => `${project.slug}/${name}`

type Held = Pick<HibernationDeps, 'instances' | 'nodes'>

/**
 * Runs the work under the operation lock if it still is due: somebody may have come in between. Nothing is due of an Instance or
 * Node that is not active, or while a transfer is open.
 */
export async function whileDue(
  deps: HibernationDeps,
  call: Call,
  { instanceId, due }: { readonly instanceId: number; readonly due: NonNullable<Due> },
  work: (held: HeldInstance) => Promise<void>,
): Promise<void> {
  await deps.instances.withOperationLock(call, instanceId, 'instance.lifecycle_busy', async () => {
    const instance = await findSleeper(deps, instanceId)
    if (instance?.status !== 'active' || instance.node.status !== 'active') return
    if (isTransferOpen(instance.transfer)) return
    const held = await heldInstance(deps, call, instance)
    const found = await markersOf(held.session, { root: deps.root, instanceId })
    if (found && dueOf(found, deps.settings) === due) await work(held)
  })
}

/**
 * The Instance where it is placed, to be woken there; undefined when it is gone. Throws `instance.lifecycle_conflict`,
 * `node.not_active`, `instance.transfer_incomplete` and `instance.lifecycle_busy`.
 */
export async function findPlaced(
  deps: Held,
  call: Call,
  instanceId: number,
): Promise<HeldInstance | undefined> {
  const instance = await findSleeper(deps, instanceId)
  if (!instance) return undefined
  const { name, status, node } = instance
  if (status !== 'active')
    throw fail('instance.lifecycle_conflict', {
      message: `The Instance ${name} is not active.`,
      details: { instance: { id: instanceId, name }, status },
    })
  if (node.status !== 'active')
    throw fail('node.not_active', {
      message: `The Node ${node.name} is not active.`,
      details: nodeDetail(node),
    })
  requirePlaced(instance)
  return heldInstance(deps, call, instance)
}

/** Undefined when it is gone, or when hibernation never touches it (HIB-007). */
export async function findSleeper(
  { instances }: Pick<Held, 'instances'>,
  instanceId: number,
): Promise<InstanceRecord | undefined> {
  const instance = await instances.find(instanceId)
  return instance?.environment === 'production' ? undefined : instance
}

/** Throws `instance.lifecycle_busy`. */
async function heldInstance(
  { instances, nodes }: Held,
  call: Call,
  instance: InstanceRecord,
): Promise<HeldInstance> {
  await instances.requireIdle(instance)
  call.note.subject('instance', instance.id)
  call.note.target(instance.node_id)
  return { instance, session: nodes.sessions.overTunnel(call, instance.node) }
}
