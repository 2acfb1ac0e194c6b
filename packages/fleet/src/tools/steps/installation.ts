import { type Step, stepList } from '@fleet/steps'
import { recordVersion, requireCandidate, type ToolWork } from '#/tools/steps/work.ts'

/** Nothing is installed before the record says that it is being installed. */
const candidate: Step<ToolWork> = {
  name: 'candidate',
  run: async (work) => {
    // What an interrupted installation left is judged by its own version.
    if (work.state.installed === undefined) requireCandidate(work)
  },
}

const install: Step<ToolWork> = {
  name: 'install',
  run: async ({ session, manager, row, state }) => {
    if (state.installed === undefined) await manager.install(session, row.package)
  },
}

/** From the record `installing` to the installed package. What failed stays on the record; the identical request resumes. */
export const toolInstallation = stepList<ToolWork>('tool-installation', [candidate, install, recordVersion], {
  forwardOnly: true,
})
