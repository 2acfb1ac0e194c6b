import { programOf, ROOT_FILES, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { APT, lockHolder } from '#/tools/commands/apt.ts'
import {
  readComposerVersion,
  readDependents,
  readInstalled,
  readOffered,
} from '#/tools/managers/composer-output.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { provisionReasons } from '#/tools/managers/reasons.ts'
import { userManager } from '#/tools/managers/user-manager.ts'

const LIBRARY = textFile('../commands/composer.sh', import.meta.url)
const install = textFile('../commands/install-composer.sh', import.meta.url)
const PROGRAMS = {
  inspect: textFile('../commands/inspect-composer.sh', import.meta.url),
  read: textFile('../commands/read-composer.sh', import.meta.url),
  install,
  // A requirement without a version is resolved again to the newest one.
  update: install,
  remove: textFile('../commands/remove-composer.sh', import.meta.url),
} as const

const PLAN = programOf(textFile('../commands/plan-composer.sh', import.meta.url), START, LIBRARY)

const provision: NodeScript<{ readonly root: string; readonly user: string }, void> = {
  source: programOf(textFile('../commands/provision-composer.sh', import.meta.url), ROOT_FILES, APT),
  args: ({ root, user }) => [root, user],
  isLong: true,
  reasons: provisionReasons,
  more: lockHolder,
  broken: 'tool.manager_provision_failed',
  read: confirmed('provisioned'),
}

/** Global Composer packages in one home for the whole Node (TOOL-061). */
export const composer = (root: string): Manager =>
  userManager({
    name: 'composer',
    label: 'Composer',
    root,
    sourceOf: (script) => programOf(PROGRAMS[script], START, LIBRARY),
    version: readComposerVersion,
    state: (answer, name) => {
      const found = readInstalled(answer.text('installed'), name)
      return { ...found, candidate: readOffered(answer.text('offered'), name, found.installed) }
    },
    provision: (session) => session.ask(provision, { root, user: session.node.user }),
    // It takes the requirement out of its file before it finds that another package has it too (decision 0361).
    removal: {
      source: PLAN,
      command: 'composer global remove --dry-run',
      neededBy: (answer, name) => readDependents(answer.text('planned'), answer.text('dependents'), name),
    },
  })
