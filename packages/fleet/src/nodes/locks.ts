import { fail } from '@fleet/contract'
import type { Store } from '@fleet/store'
import type { Call } from '#/call.ts'
import { type NamedLock, holding, lockOf } from '#/locks/api.ts'
import { findNode } from '#/nodes/queries.ts'
import type { NodeRecord } from '#/nodes/record.ts'

/** Lifecycle lock of a Node name (facts 1.6). */
export const nodeNameHold = (name: string): NamedLock => lockOf('nodeName', name)

/**
 * Runs the work on the fresh record while its name is held. Throws `node.provisioning_busy`, also when the Node was
 * renamed while the lock was taken, and `node.not_found`.
 */
export async function holdingNode<T>(
  store: Store,
  call: Call,
  seenOrId: NodeRecord | number,
  work: (node: NodeRecord) => Promise<T>,
): Promise<T> {
  const seen = typeof seenOrId === 'number' ? await requireNode(store, seenOrId) : seenOrId
  return holding(store, call, nodeNameHold(seen.name), async () => {
    const node = await requireNode(store, seen.id)
    if (node.name !== seen.name) throw fail('node.provisioning_busy')
    return work(node)
  })
}

export async function requireNode({ db }: Pick<Store, 'db'>, id: number): Promise<NodeRecord> {
  const node = await findNode(db, id)
  if (!node) throw fail('node.not_found')
  return node
}
