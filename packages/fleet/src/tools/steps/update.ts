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
    if (installed === undefined) return manager.install(session, row.package)
    if (installed !== state.candidate && state.isPinned !== true) await manager.update(session, row.package)
  },
}

/** From an installed package to the version that its manager offers; a package that is missing is installed again. */
export const toolUpdate = stepList<ToolWork>('tool-update', [begin, candidate, update, recordVersion], {
  forwardOnly: true,
})
