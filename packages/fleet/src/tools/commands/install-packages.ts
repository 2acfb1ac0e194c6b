import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { APT, APT_REASONS, lockHolder } from '#/tools/commands/apt.ts'
import { programOf, START, textFile } from '@fleet/shell'

/** Installs the packages without a question. */
export const installPackages: NodeScript<readonly string[], void> = {
  source: programOf(textFile('install-packages.sh', import.meta.url), START, APT),
  isLong: true,
  args: (names) => names,
  reasons: APT_REASONS,
  more: lockHolder,
  broken: 'node_role.package_failed',
  read: confirmed('installed'),
}
