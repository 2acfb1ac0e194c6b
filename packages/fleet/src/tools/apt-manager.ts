import { CodedError } from '@fleet/kernel'
import type { NodeSession } from '#/nodes/api.ts'
import { inspectApt } from '#/tools/commands/inspect-apt.ts'
import { holdingApt } from '#/tools/locks.ts'
import type { ToolsParts } from '#/tools/parts.ts'
import { putManager } from '#/tools/queries.ts'

/** Step 5: the `apt` Tool manager of a Node (NODE-054). Throws `node.tool_manager_locked`. */
export interface ToolManagers {
  ensureApt(session: NodeSession): Promise<void>
}

/**
 * The `apt` Tool manager of a Node: inspected, and recorded with its version (NODE-054). May be repeated. A failure is
 * stored in its row. Throws `node.tool_manager_locked`, `node.tool_manager_materialization_failed` and the codes of
 * NodeSession.
 */
export const makeEnsureApt =
  ({ store, clock }: ToolsParts): ToolManagers['ensureApt'] =>
  (session) =>
    holdingApt(store, session.call, session.node.id, 'node.tool_manager_locked', async () => {
      const manager = { node_id: session.node.id, name: 'apt', created_at: clock.now().toISOString() }
      const clean = { failed_step: null, error_code: null }
      await putManager(store.db, { ...manager, ...clean, status: 'provisioning' })
      try {
        const installed_version = await session.ask(inspectApt, undefined)
        await putManager(store.db, { ...manager, ...clean, status: 'active', installed_version })
      } catch (error) {
        const error_code = error instanceof CodedError ? error.code : 'http.500'
        const failed = { status: 'failed', failed_step: 'materialize', error_code } as const
        await putManager(store.db, { ...manager, ...failed })
        throw error
      }
    })
