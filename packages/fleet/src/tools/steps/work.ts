import { fail, type ToolOutcome } from '@fleet/contract'
import type { CodedError } from '@fleet/kernel'
import type { Step } from '@fleet/steps'
import type { NodeSession } from '#/nodes/api.ts'
import type { Manager, PackageState } from '#/tools/managers/manager.ts'
import { REFUSED } from '#/tools/managers/refused.ts'
import { judge } from '#/tools/managers/version.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { updateTool } from '#/tools/queries.ts'
import type { ToolRow } from '#/tools/record.ts'

/** One operation on one Tool, under its locks. */
export interface ToolWork {
  readonly deps: Pick<ToolsDeps, 'store'>
  readonly session: NodeSession
  readonly manager: Manager
  /** As it was before the work. */
  readonly row: ToolRow
  /** What the Node said before the work. */
  readonly state: PackageState
}

/** There is no candidate, because the manager has none or because Fleet does not install what it has. */
export const notOffered = ({ refused }: Pick<PackageState, 'refused'>): CodedError =>
  fail('tool.candidate_version_unavailable', refused === undefined ? {} : { message: REFUSED[refused] })

/** Whether the offered version may be installed. Throws the codes of a candidate (TOOL-026 to TOOL-028). */
export function requireCandidate({ manager, row, state }: Pick<ToolWork, 'manager' | 'row' | 'state'>): void {
  const { candidate } = state
  if (candidate === undefined) throw notOffered(state)
  const constraint = row.version_constraint
  if (constraint === null) return
  const found = judge(manager.name, candidate, constraint)
  if (found === 'inside') return
  const details = { candidate_version: candidate, version_constraint: constraint }
  throw fail(found === 'outside' ? 'tool.version_constraint_blocked' : 'tool.candidate_version_unparseable', {
    details,
  })
}

/** Reads what is installed now and stores it. What the Node got meanwhile may not be what was offered before. */
export const recordVersion: Step<ToolWork> = {
  name: 'record',
  run: async ({ deps, session, manager, row, state }) => {
    const { installed } = await manager.read(session, row.package)
    if (installed === undefined) throw fail('tool.version_probe_failed')
    requireInside({ manager, row }, installed)
    const isSame = installed === state.installed && installed === row.installed_version
    const outcome: ToolOutcome = isSame ? 'unchanged' : 'applied'
    await updateTool(deps.store.db, row.id, {
      status: 'installed',
      installed_version: installed,
      failed_operation: null,
      error_code: null,
      outcome,
    })
  },
}

/** Throws `tool.installed_version_unparseable` and `tool.installed_version_constraint_violated`. */
export function requireInside(
  {
    manager,
    row,
  }: { readonly manager: Pick<Manager, 'name'>; readonly row: Pick<ToolRow, 'version_constraint'> },
  installed: string,
): void {
  const constraint = row.version_constraint
  if (constraint === null) return
  const found = judge(manager.name, installed, constraint)
  if (found === 'inside') return
  throw fail(
    found === 'outside' ? 'tool.installed_version_constraint_violated' : 'tool.installed_version_unparseable',
    { details: { installed_version: installed, version_constraint: constraint } },
  )
}
