import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import { type Step, stepList } from '@fleet/steps'
import { updateTool } from '#/tools/queries.ts'
import { recordVersion, requireCandidate, type ToolWork } from '#/tools/steps/work.ts'

const begin: Step<ToolWork> = {
  name: 'begin',
  run: async ({ deps, row }) => void (await updateTool(deps.store.db, row.id, { status: 'updating' })),
}

const candidate: Step<ToolWork> = { name: 'candidate', run: async (work) => requireCandidate(work) }

const update: Step<ToolWork> = {
  name: 'update',
  run: async ({ session, manager, row, state }) => {
    const { installed } = state
    if (installed === undefined) return installAgain({ session, manager, row })
    if (installed !== state.candidate && state.isPinned !== true) await manager.update(session, row.package)
  },
}

/** A failure is one of the update (TOOL-020). */
const installAgain = ({
  session,
  manager,
  row,
}: Pick<ToolWork, 'session' | 'manager' | 'row'>): Promise<void> =>
  manager.install(session, row.package).catch((error: unknown) => {
    if (!(error instanceof CodedError) || error.code !== 'tool.install_failed') throw error
    const { message, details = {} } = error
    throw fail('tool.update_failed', { message, details, cause: error })
  })

/** From an installed package to the version that its manager offers; a package that is missing is installed again. */
export const toolUpdate = stepList<ToolWork>('tool-update', [begin, candidate, update, recordVersion], {
  forwardOnly: true,
})
