import { fail, type ToolData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler } from '#/handler.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { type Described, describing, outcomeOf } from '#/tools/failure.ts'
import { requireTool } from '#/tools/locators.ts'
import type { PackageState, RemovalPlan } from '#/tools/managers/manager.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { presentTool } from '#/tools/present.ts'
import { deleteTool, updateTool } from '#/tools/queries.ts'
import { type OnTool, onTool } from '#/tools/recorded.ts'
import type { ToolRecord } from '#/tools/record.ts'
import { failureLog } from '#/tools/steps/log.ts'
import { toolRemoval } from '#/tools/steps/removal.ts'

/** Removes the package and then its record; a package that is already gone counts as removed (TOOL-034). */
export const makeRemove =
  (deps: ToolsDeps): Handler<'tool:remove'> =>
  async ({ call, input, found }) => {
    const seen = found?.tool ?? (await requireTool(deps, input.tool))
    const about = { step: 'remove' } as Described & { readonly step: 'remove' } // The literal is what it says.
    return describing(about, () =>
      onTool(deps, call, seen, about, {
        work: async (on) => {
          await remove(deps, call, on)
          return { data: removed(on.tool) }
        },
        withoutManager: async (tool) => {
          await deleteTool(deps.store.db, tool.id)
          return { data: removed(tool) }
        },
      }),
    )
  }

const removed = ({ node: _node, ...row }: ToolRecord): ToolData =>
  presentTool({ ...row, status: 'removed', failed_operation: null, error_code: null, outcome: 'applied' })

async function remove(deps: ToolsDeps, call: Call, on: OnTool): Promise<void> {
  const { session, manager, tool } = on
  const { node: _node, ...row } = tool
  const state = await probe(deps, on)
  // Nothing of it was ever installed, and the Node cannot say more.
  if (!state) return deleteTool(deps.store.db, row.id)
  const plan = state.isPresent ? await manager.planRemoval?.(session, row.package) : undefined
  if (plan) requireSafe(plan)
  const work = { deps, session, manager, row, state }
  await performSteps(toolRemoval, work, { call, log: failureLog(work, 'remove') })
}

/** Undefined for a Tool that failed before it had a version, where the probe fails too (TLX-034). */
async function probe(
  { store }: ToolsDeps,
  { session, manager, tool }: OnTool,
): Promise<PackageState | undefined> {
  try {
    return await manager.read(session, tool.package)
  } catch (error) {
    const error_code = codeOf(error)
    if (error_code !== 'tool.version_probe_failed') throw error
    if (tool.status === 'failed' && tool.installed_version === null) return undefined
    const outcome = outcomeOf(error_code)
    await updateTool(store.db, tool.id, { status: 'failed', failed_operation: 'remove', error_code, outcome })
    throw error
  }
}

const MAX_NAMED = 20

/** Throws `tool.removal_plan_unsafe`. */
function requireSafe(plan: RemovalPlan): void {
  const { removed: others, installed, neededBy = [] } = plan
  if (neededBy.length > 0) throw stillNeeded(neededBy.slice(0, MAX_NAMED))
  if (others.length + installed.length > 0) throw planUnsafe(plan)
}

const stillNeeded = (needed_by: readonly string[]) =>
  fail('tool.removal_plan_unsafe', {
    message: `Other packages require this one, so nothing was removed: ${needed_by.join(', ')}.`,
    details: { needed_by },
  })

const planUnsafe = ({ removed: others, installed }: RemovalPlan) =>
  fail('tool.removal_plan_unsafe', {
    message: `Removing this package would also ${[counted('remove', others), counted('install', installed)].filter(Boolean).join(' and ')}, so nothing was removed.`,
    details: {
      would_remove: others.slice(0, MAX_NAMED),
      ...(installed.length > 0 ? { would_install: installed.slice(0, MAX_NAMED) } : {}),
    },
  })

const counted = (verb: string, { length }: readonly string[]): string =>
  length === 0 ? '' : `${verb} ${length} other package${length === 1 ? '' : 's'}`
