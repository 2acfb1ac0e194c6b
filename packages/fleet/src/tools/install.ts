import { fail, type ToolData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { performSteps } from '#/perform-steps.ts'
import { type Described, describing } from '#/tools/failure.ts'
import { requireUnprotected } from '#/tools/guards.ts'
import type { Manager, PackageState } from '#/tools/managers/manager.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { presentTool } from '#/tools/present.ts'
import { findTool, insertTool, updateTool } from '#/tools/queries.ts'
import { withInstalledManager } from '#/tools/readiness.ts'
import type { ToolRow } from '#/tools/record.ts'
import { requested, type ToolRequest } from '#/tools/request.ts'
import { toolInstallation } from '#/tools/steps/installation.ts'
import { failureLog } from '#/tools/steps/log.ts'
import { notOffered } from '#/tools/steps/work.ts'

/** Installs a package and records it; repeating the request finishes what failed or was interrupted (TOOL-024, TOOL-029). */
export const makeInstall =
  (deps: ToolsDeps): Handler<'tool:install'> =>
  ({ call, input }) => {
    const about: Described & { readonly mayReplace: typeof wasRefused } = {
      step: 'install',
      mayReplace: wasRefused,
    }
    return describing(about, () =>
      requested(deps, call, input, about, async (request) => {
        requireUnprotected(deps, request.place)
        const { known } = request
        if (known?.status === 'updating' || known?.status === 'removing')
          throw fail('tool.state_invalid', { details: { status: known.status } })
        return withInstalledManager(deps, request.session, request.place, async (manager) => {
          // Work that is run once more has made a record before.
          const row = about.id === undefined ? undefined : await findTool(deps.store.db, about.id)
          return install(deps, call, { ...request, known: row }, manager, about)
        })
      }),
    )
  }

/** Nothing was installed: the next request corrects its constraint (decision 0374). */
const wasRefused = ({ status, installed_version, error_code }: ToolRow): boolean =>
  status === 'failed' && installed_version === null && REFUSED.has(error_code ?? '')

/** What a constraint meets before anything is installed. */
const REFUSED: ReadonlySet<string> = new Set([
  'tool.version_constraint_blocked',
  'tool.candidate_version_unparseable',
])

async function install(
  deps: ToolsDeps,
  call: Call,
  request: ToolRequest,
  manager: Manager,
  about: Described,
): Promise<Outcome<ToolData>> {
  const { session, place, known } = request
  const { db } = deps.store
  const state = await manager.read(session, place.name, { isFresh: true })
  if (known?.status === 'installed' && state.installed !== undefined)
    return { data: presentTool(await updateTool(db, known.id, { outcome: 'unchanged' })), created: false }
  if (!known) requireNew(state)
  const row = await begun(deps, request)
  about.id = row.id
  call.note.subject('tool', row.id)
  const work = { deps, session, manager, row, state }
  await performSteps(toolInstallation, work, { call, log: failureLog(work, 'install') })
  return { data: presentTool((await findTool(db, row.id)) ?? row), created: !known }
}

/** A name that nothing offers leaves no record. Throws `tool.already_installed_unmanaged` (TOOL-023). */
function requireNew(state: PackageState): void {
  const { installed, candidate } = state
  if (installed !== undefined)
    throw fail('tool.already_installed_unmanaged', { details: { installed_version: installed } })
  if (candidate === undefined) throw notOffered(state)
}

const begun = ({ store, clock }: ToolsDeps, { place, constraint, known }: ToolRequest): Promise<ToolRow> => {
  const begin = { status: 'installing', failed_operation: null, error_code: null, outcome: null } as const
  if (known) return updateTool(store.db, known.id, { ...begin, version_constraint: constraint })
  return insertTool(store.db, {
    node_id: place.node.id,
    manager: place.manager,
    package: place.name,
    version_constraint: constraint,
    installed_version: null,
    ...begin,
    created_at: clock.now().toISOString(),
  })
}
