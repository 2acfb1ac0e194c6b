import { fail, type ToolData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { performSteps } from '#/perform-steps.ts'
import { type Described, describing } from '#/tools/failure.ts'
import { requireTool } from '#/tools/locators.ts'
import { judge } from '#/tools/managers/version.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { presentTool } from '#/tools/present.ts'
import { findTool, updateTool } from '#/tools/queries.ts'
import { type OnTool, onTool } from '#/tools/recorded.ts'
import type { ToolRecord } from '#/tools/record.ts'
import { failureLog } from '#/tools/steps/log.ts'
import { toolUpdate } from '#/tools/steps/update.ts'

/** Installs what the manager offers; outside the constraint the Tool stays as it is, and the answer says so (TOOL-031, TOOL-032). */
export const makeUpdate =
  (deps: ToolsDeps): Handler<'tool:update'> =>
  async ({ call, input, found }) => {
    const seen = found?.tool ?? (await requireTool(deps, input.tool))
    const about = { step: 'update' } as Described & { readonly step: 'update' } // The literal is what it says.
    return describing(about, () =>
      onTool(deps, call, seen, about, { work: async (on) => ({ data: await update(deps, call, on) }) }),
    )
  }

async function update(deps: ToolsDeps, call: Call, { tool, session, manager }: OnTool): Promise<ToolData> {
  requireUpdatable(tool)
  const { node: _node, ...row } = tool
  const { db } = deps.store
  const state = await manager.read(session, row.package, { isFresh: true })
  // Also where somebody removed it: the record stays, and Doctor says that it is not there.
  if (isOutside(tool, state.candidate))
    return presentTool(
      await updateTool(db, row.id, {
        status: 'installed',
        installed_version: state.installed ?? row.installed_version,
        failed_operation: null,
        error_code: null,
        outcome: 'blocked_by_constraint',
      }),
    )
  const work = { deps, session, manager, row, state }
  await performSteps(toolUpdate, work, { call, log: failureLog(work, 'update') })
  return presentTool((await findTool(db, row.id)) ?? row)
}

/** What was never installed is installed, not updated. Throws `tool.state_invalid`. */
function requireUpdatable({ status, installed_version }: ToolRecord): void {
  if (status === 'installed' || status === 'updating' || (status === 'failed' && installed_version !== null))
    return
  throw fail('tool.state_invalid', { details: { status } })
}

const isOutside = ({ manager, version_constraint }: ToolRecord, candidate: string | undefined): boolean =>
  version_constraint !== null &&
  candidate !== undefined &&
  judge(manager, candidate, version_constraint) === 'outside'
