import type { RemovalData } from '@fleet/contract'
import { type Call, keepingEvents } from '#/call.ts'
import { withOperationLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { completedRemoval } from '#/instances/present.ts'
import { addResidue } from '#/instances/residue/queries.ts'
import { removeRow } from '#/instances/queries.ts'
import { isUnfinishedRegistration, rulesOf } from '#/instances/rules.ts'
import { requireUnneeded } from '#/instances/steps/accept-removal.ts'
import { keepsContent } from '#/instances/steps/finalize-source.ts'
import type { FoundInstance } from '#/instances/require.ts'
import { otherEnd } from '#/instances/transfer/record.ts'

/**
 * Removes the record of an Instance whose Node does not answer, with those of `leaving`; nothing is sent there, and what stays is
 * recorded. Throws `instance.clone_in_progress` and `database.connection_attached`.
 */
export const removeRecord = (
  deps: InstanceDeps,
  call: Call,
  { row, node }: FoundInstance,
  leaving: readonly number[],
): Promise<RemovalData> =>
  withOperationLock(deps.store, call, row.id, 'instance.lifecycle_busy', async () => {
    const isAccepted = rulesOf(row).isLeaving
    if (!isAccepted) await requireUnneeded(deps, row, leaving)
    await deps.routes.withdrawNames(call, row.id)
    const operationId = row.removal_operation_id ?? deps.ids.uuid()
    const other = await remainderOf(deps, row)
    const residueOn = (node_id: number, checkout_path: string, preparation_id: string) => ({
      node_id,
      instance_id: row.id,
      checkout_path,
      preparation_id,
      // A removal that had begun may have left its quarantine; its name holds the operation.
      quarantine_id: operationId,
      created_at: deps.clock.now().toISOString(),
    })
    const kept = keepingEvents(call)
    await deps.store.transaction(async (db) => {
      if (!isAccepted) await deps.ownedDatabases.holdUnused(db, row.id, leaving)
      await deps.routes.leaveBehind(db, kept.call, row.id)
      const nodeIds = [node.id, ...(other?.hasUnits ? [other.node.id] : [])]
      await deps.runtime.leaveBehind(db, kept.call, { instanceId: row.id, nodeIds })
      // What is recorded is deleted once the Node is back, and this was not Fleet's yet.
      const stays = keepsContent(row) || isUnfinishedRegistration(row)
      if (!stays) await addResidue(db, residueOn(node.id, row.checkout_path, row.preparation_id))
      // A whole copy may be the last one, so only a person deletes it.
      if (other && !other.isWhole)
        await addResidue(db, residueOn(other.node.id, other.path, other.preparationId))
      await removeRow(db, row.id)
    })
    // At once: of a forced removal, the checkout that the worktree belongs to may fail.
    await kept.publish()
    return {
      ...completedRemoval(row, operationId, true),
      // Of production everything is in the home, the values of the environment too.
      retained_on_nodes: [
        { node_id: node.id, node: node.name, path: row.production_home ?? row.checkout_path, database: null },
        ...(other?.isWhole
          ? [{ node_id: other.node.id, node: other.node.name, path: other.path, database: null }]
          : []),
      ],
    }
  })

/** What a transfer that is given up with the Instance has on its other Node. */
async function remainderOf({ nodes }: Pick<InstanceDeps, 'nodes'>, row: FoundInstance['row']) {
  const end = otherEnd(row)
  const node = end && (await nodes.find(end.nodeId))
  return node && { ...end, node }
}
