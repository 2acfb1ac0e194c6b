import type { ProcessTarget } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { HeldPlace, InstanceRecord, Instances } from '#/instances/record.ts'
import { requirePlaced } from '#/instances/transfer/record.ts'
import type { NodeRecord, Nodes } from '#/nodes/api.ts'

/** Who owns something that runs on a Node, such as a Process or a Schedule, and where it runs. */
export interface RuntimeOwner {
  readonly type: ProcessTarget
  readonly id: number
  readonly node: NodeRecord
  /** Undefined for what a Node owns itself. */
  readonly instance: InstanceRecord | undefined
}

export interface OwnerDeps {
  readonly instances: Instances
  readonly nodes: Nodes
}

export async function findOwner(
  { instances, nodes }: OwnerDeps,
  type: ProcessTarget,
  id: number,
): Promise<RuntimeOwner | undefined> {
  const instance = type === 'instance' ? await instances.find(id) : undefined
  const node = type === 'instance' ? instance?.node : await nodes.find(id)
  return node && { type, id, node, instance }
}

/** The columns of a row that name its owner: exactly one has an id. */
export interface OwnerColumns {
  readonly instance_id: number | null
  readonly node_id: number | null
}

export const ownerColumns = (type: ProcessTarget, id: number): OwnerColumns =>
  type === 'instance' ? { instance_id: id, node_id: null } : { instance_id: null, node_id: id }

/** Owners of rows, each of which is read once. Undefined for one that was deleted between the reads. */
export function ownersOf(deps: OwnerDeps): (row: OwnerColumns) => Promise<RuntimeOwner | undefined> {
  const owners = new Map<string, Promise<RuntimeOwner | undefined>>()
  return async ({ instance_id, node_id }) => {
    const type = instance_id === null ? 'node' : 'instance'
    const id = instance_id ?? node_id
    if (id === null) return undefined
    const key = `${type}:${id}`
    const read = owners.get(key) ?? findOwner(deps, type, id)
    owners.set(key, read)
    return read
  }
}

/**
 * Runs the work with the owner as it is once nothing else changes it. Throws `instance.lifecycle_busy`, `instance.not_found`
 * and the code for an Instance that another operation uses, or that is on another Node by now.
 */
export async function holdingOwner<T>(
  { instances }: Pick<OwnerDeps, 'instances'>,
  call: Call,
  { owner, ...held }: { readonly owner: RuntimeOwner } & Omit<HeldPlace, 'seen'>,
  work: (owner: RuntimeOwner) => Promise<T>,
): Promise<T> {
  const { instance: seen } = owner
  if (!seen) return work(owner)
  await instances.requireIdle(seen)
  return instances.holding(call, { seen, ...held }, async (instance) => {
    requirePlaced(instance)
    return work({ ...owner, node: instance.node, instance })
  })
}
