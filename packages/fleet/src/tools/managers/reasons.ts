import type { ErrorCode } from '@fleet/contract'
import type { Reasons } from '#/nodes/api.ts'
import { HELD } from '#/tools/commands/apt.ts'

export type Failed = 'tool.install_failed' | 'tool.update_failed' | 'tool.remove_failed'

/** How a scope that Fleet may not use is reported. */
export const scopeReasons = (label: string): Reasons => ({
  absent: [
    'tool.manager_unavailable',
    `${label} is not installed on the Node. On Linux \`fleet tool:install\` installs it with its first package; on macOS install it yourself.`,
  ],
  program_absent: [
    'tool.manager_unavailable',
    `${label} is not installed on the Node, but packages of it are there. Update one of its Tools (\`fleet tool:update\`): that installs ${label} again.`,
  ],
  conflicting: [
    'tool.manager_unavailable',
    `${label} on the Node belongs to somebody else, or is not where and how Fleet expects it.`,
  ],
  unreadable: 'tool.version_probe_failed',
})

/** Where apt does not say who it is. */
export const LOCKED =
  'Another program on the Node kept the package database locked for 5 minutes, so nothing was changed. ' +
  '`ps -e | grep -e apt -e dpkg` there shows which; repeat the command once it has ended.'

const PROVISION: ErrorCode = 'tool.manager_provision_failed'

/** Why a manager could not be installed (TOOL-018). */
export const provisionReasons: Reasons = {
  locked: [PROVISION, LOCKED],
  unavailable: [PROVISION, 'The package sources of the Node lack a package that the manager needs.'],
  disk_full: [PROVISION, 'The disk of the Node is full.'],
  held: [PROVISION, HELD],
  architecture: [PROVISION, 'There is no verified build of this manager for the processor of the Node.'],
  fetch: [PROVISION, 'The Node could not download the manager.'],
  digest: [
    PROVISION,
    'What the Node downloaded is not the verified build of the manager, so it was not used.',
  ],
  conflicting: 'tool.manager_unavailable',
  failed: PROVISION,
}
