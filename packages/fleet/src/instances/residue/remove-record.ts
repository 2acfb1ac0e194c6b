import type { RemovalData } from '@fleet/contract'
import { type Call, keepingEvents } from '#/call.ts'
import { withOperationLock } from '#/instances/locks.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { completedRemoval } from '#/instances/present.ts'
import { leaveBehind } from '#/instances/residue/queries.ts'
import { removeRow } from '#/instances/queries.ts'
import { isUnfinishedRegistration, rulesOf } from '#/instances/rules.ts'
import { requireUnneeded } from '#/instances/steps/accept-removal.ts'
import { keepsContent } from '#/instances/steps/finalize-source.ts'
import type { FoundInstance } from '#/instances/require.ts'

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
    const residue = {
      node_id: node.id,
      instance_id: row.id,
      checkout_path: row.checkout_path,
      preparation_id: row.preparation_id,
      // A removal that had begun may have left its quarantine; its name holds the operation.
      quarantine_id: operationId,
      created_at: deps.clock.now().toISOString(),
    }
    const kept = keepingEvents(call)
    await deps.store.transaction(async (db) => {
      if (!isAccepted) await deps.ownedDatabases.holdUnused(db, row.id, leaving)
      await deps.routes.leaveBehind(db, kept.call, row.id)
      await deps.runtime.leaveBehind(db, kept.call, { instanceId: row.id, nodeId: node.id })
      // What is recorded is deleted once the Node is back, and this was not Fleet's yet.
      const stays = keepsContent(row) || isUnfinishedRegistration(row)
      await (stays ? removeRow(db, row.id) : leaveBehind(db, residue))
    })
    // At once: of a forced removal, the checkout that the worktree belongs to may fail.
    await kept.publish()
    return {
      ...completedRemoval(row, operationId, true),
      // Of production everything is in the home, the values of the environment too.
      retained_on_nodes: [
        { node_id: node.id, node: node.name, path: row.production_home ?? row.checkout_path, database: null },
      ],
    }
  })
