import { programOf, ROOT_FILES, START, textFile } from '@fleet/shell'
import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { APT, lockHolder } from '#/tools/commands/apt.ts'
import type { Manager } from '#/tools/managers/manager.ts'
import { provisionReasons } from '#/tools/managers/reasons.ts'
import { userManager } from '#/tools/managers/user-manager.ts'
import { readGlobal, readLatest, readVpVersion } from '#/tools/managers/vp-output.ts'

/** The build of Vite+ that Fleet installs; the digest was taken from the archive itself. */
export const VITE_PLUS = {
  version: '1.0.0-rc.0',
  machine: 'x86_64',
  archive:
    'https://registry.npmjs.org/@voidzero-dev/vite-plus-cli-linux-x64-gnu/-/vite-plus-cli-linux-x64-gnu-1.0.0-rc.0.tgz',
  sha512:
    '55cdb7999c6217378a6e1d67706f4e3b8956b02338fb163d3646c89f9aa43414173450a33f44daa46308d1c7f90025b2f7d63dfe0ec1c8861ebfebf814af4e0c',
} as const
export type VitePlusBuild = Readonly<Record<keyof typeof VITE_PLUS, string>>

const LIBRARY = textFile('../commands/vp.sh', import.meta.url)
const install = textFile('../commands/install-vp.sh', import.meta.url)
const PROGRAMS = {
  inspect: textFile('../commands/inspect-vp.sh', import.meta.url),
  read: textFile('../commands/read-vp.sh', import.meta.url),
  install,
  // An update of its own keeps to the version that was asked for first.
  update: install,
  remove: textFile('../commands/remove-vp.sh', import.meta.url),
} as const

interface Provision {
  readonly root: string
  readonly user: string
  readonly build: VitePlusBuild
}

const provision: NodeScript<Provision, void> = {
  source: programOf(textFile('../commands/provision-vp.sh', import.meta.url), ROOT_FILES, APT),
  args: ({ root, user, build: { version, machine, archive, sha512 } }) => [
    root,
    user,
    version,
    machine,
    archive,
    sha512,
  ],
  isLong: true,
  reasons: provisionReasons,
  more: lockHolder,
  broken: 'tool.manager_provision_failed',
  read: confirmed('provisioned'),
}

/** Global packages of Vite+, in the store of the managed user (TOOL-060). */
export const vitePlus = (root: string, build: VitePlusBuild = VITE_PLUS): Manager =>
  userManager({
    name: 'vp',
    label: 'Vite+',
    root,
    sourceOf: (script) => programOf(PROGRAMS[script], START, LIBRARY),
    version: readVpVersion,
    state: (answer, name) => ({
      ...readGlobal(answer.text('list'), name, answer.word('below', ['yes', 'no']) === 'yes'),
      candidate: readLatest(answer.text('offered')),
    }),
    // The first store with a program counts, and the one that Fleet makes is before those of the user.
    isOneOfSeveral: true,
    provision: (session) => session.ask(provision, { root, user: session.node.user, build }),
  })
