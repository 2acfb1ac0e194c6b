import type { NodeSession } from '#/nodes/api.ts'
import { inspectApt } from '#/tools/commands/inspect-apt.ts'
import { holdingApt } from '#/tools/locks.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { recordManager } from '#/tools/record-manager.ts'

/** Managers that a Node gets without being asked for a Tool (TLX-014). */
export interface ToolManagers {
  /** Step 5 of an enrolment (NODE-054). Throws `node.tool_manager_locked`. */
  ensureApt(session: NodeSession): Promise<void>
  /** With the app roles, whose packages it is one of. Throws `tool.operation_locked` and `tool.manager_provision_failed`. */
  ensureComposer(session: NodeSession): Promise<void>
}

/**
 * The `apt` Tool manager of a Node: inspected, and recorded with its version (NODE-054). May be repeated. A failure is
 * stored in its row. Throws `node.tool_manager_locked`, `node.tool_manager_materialization_failed` and the codes of
 * NodeSession.
 */
export const makeEnsureApt =
  (deps: Pick<ToolsDeps, 'store' | 'clock'>): ToolManagers['ensureApt'] =>
  (session) =>
    holdingApt(deps.store, session.call, session.node.id, 'node.tool_manager_locked', () =>
      recordManager(deps, session.node.id, 'apt', () => session.ask(inspectApt, undefined)),
    )
