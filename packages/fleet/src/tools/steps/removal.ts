import { fail } from '@fleet/contract'
import { type Step, stepList } from '@fleet/steps'
import { deleteTool, updateTool } from '#/tools/queries.ts'
import type { ToolWork } from '#/tools/steps/work.ts'

const begin: Step<ToolWork> = {
  name: 'begin',
  run: async ({ deps, row }) => void (await updateTool(deps.store.db, row.id, { status: 'removing' })),
}

const remove: Step<ToolWork> = {
  name: 'remove',
  run: async ({ session, manager, row, state }) => {
    if (state.isPresent) await manager.remove(session, row.package)
  },
}

/** The record outlives the package: nothing is removed of which no record says so. */
const verify: Step<ToolWork> = {
  name: 'verify',
  run: async ({ session, manager, row }) => {
    const { installed } = await manager.read(session, row.package)
    if (installed !== undefined)
      throw fail('tool.remove_failed', { details: { installed_version: installed } })
  },
}

const forget: Step<ToolWork> = {
  name: 'forget',
  run: ({ deps, row }) => deleteTool(deps.store.db, row.id),
}

/** The package, then its record. Its plan was found safe before. */
export const toolRemoval = stepList<ToolWork>('tool-removal', [begin, remove, verify, forget], {
  forwardOnly: true,
})
