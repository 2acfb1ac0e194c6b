import { programOf, ROOT_FILES, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { APT } from '#/tools/commands/apt.ts'
import { readAvailable, readComposerVersion, readInstalled } from '#/tools/managers/composer-output.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { provisionReasons } from '#/tools/managers/reasons.ts'
import { userManager } from '#/tools/managers/user-manager.ts'

const file = (name: string): string => textFile(`../commands/${name}.sh`, import.meta.url)

const provision: NodeScript<{ readonly root: string; readonly user: string }, void> = {
  source: programOf(file('provision-composer'), ROOT_FILES, APT),
  args: ({ root, user }) => [root, user],
  isLong: true,
  reasons: provisionReasons,
  broken: 'tool.manager_provision_failed',
  read: confirmed('provisioned'),
}

/** Global Composer packages in one home for the whole Node (TOOL-061). */
export const composer = (root: string): Manager =>
  userManager({
    name: 'composer',
    label: 'Composer',
    root,
    // A requirement without a version is resolved again to the newest one.
    sourceOf: (script) =>
      programOf(file(`${script === 'update' ? 'install' : script}-composer`), START, file('composer')),
    version: readComposerVersion,
    state: (answer, name) => ({
      ...readInstalled(answer.text('installed'), name),
      candidate: readAvailable(answer.text('offered')),
    }),
    provision: (session) => session.ask(provision, { root, user: session.node.user }),
  })
