import { fail, type ToolData } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { Handler, Outcome } from '#/handler.ts'
import { type Described, describing } from '#/tools/failure.ts'
import { isNeeded } from '#/tools/guards.ts'
import type { PackageState } from '#/tools/managers/manager.ts'
import type { ToolsDeps } from '#/tools/deps.ts'
import { presentTool } from '#/tools/present.ts'
import { insertTool, updateTool } from '#/tools/queries.ts'
import { withManager } from '#/tools/readiness.ts'
import { requested, type ToolRequest } from '#/tools/request.ts'
import { requireInside } from '#/tools/steps/work.ts'

/** Records an installed package after reading it live, and changes nothing on the Node (TOOL-037, TLX-035). */
export const makeAdopt =
  (deps: ToolsDeps): Handler<'tool:adopt'> =>
  ({ call, input }) => {
    const about: Described = { step: 'adopt' }
    return describing(about, () =>
      requested(deps, call, input, about, async (request) => {
        const { known, place, session } = request
        if (known && known.status !== 'installed' && known.status !== 'failed')
          throw fail('tool.state_invalid', { details: { status: known.status } })
        if (isNeeded(deps, place)) throw unsupported('protected')
        return withManager(deps, session, place, async (manager) =>
          adopt(deps, call, request, await manager.read(session, place.name)),
        )
      }),
    )
  }

const unsupported = (adoption_block: string) =>
  fail('tool.adoption_unsupported', { details: { adoption_block } })

async function adopt(
  { store, clock }: ToolsDeps,
  call: Call,
  { place, constraint, known }: ToolRequest,
  { installed, block }: PackageState,
): Promise<Outcome<ToolData>> {
  if (block !== undefined) throw unsupported(block)
  if (installed === undefined) throw fail('tool.package_absent')
  requireInside({ manager: { name: place.manager }, row: { version_constraint: constraint } }, installed)
  // The recorded version is what Fleet installed; Doctor says when it differs.
  if (known?.status === 'installed')
    return {
      data: presentTool(await updateTool(store.db, known.id, { outcome: 'unchanged' })),
      created: false,
    }
  const adopted = {
    status: 'installed',
    installed_version: installed,
    failed_operation: null,
    error_code: null,
    outcome: 'applied',
  } as const
  if (known) return { data: presentTool(await updateTool(store.db, known.id, adopted)), created: false }
  const row = await insertTool(store.db, {
    node_id: place.node.id,
    manager: place.manager,
    package: place.name,
    version_constraint: constraint,
    ...adopted,
    created_at: clock.now().toISOString(),
  })
  call.note.subject('tool', row.id)
  return { data: presentTool(row), created: true }
}
