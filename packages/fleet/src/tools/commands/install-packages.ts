import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { APT, APT_REASONS, lockHolder } from '#/tools/commands/apt.ts'
import { blockedBy, REMOVED_BY } from '#/tools/commands/removed-by.ts'
import { programOf, START, textFile } from '@fleet/shell'

/** Installs the packages without a question, and without removing others. */
export const installPackages: NodeScript<readonly string[], void> = {
  source: programOf(textFile('install-packages.sh', import.meta.url), START, APT, REMOVED_BY),
  isLong: true,
  args: (names) => names,
  reasons: { ...APT_REASONS, would_remove: 'node_role.package_failed' },
  more: (answer, reason) =>
    reason === 'would_remove' ? blockedBy(answer, 'the role') : lockHolder(answer, reason),
  broken: 'node_role.package_failed',
  read: confirmed('installed'),
}
