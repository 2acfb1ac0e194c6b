import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { programOf, START, textFile } from '@fleet/shell'

/** Installs the packages without a question. */
export const installPackages: NodeScript<readonly string[], void> = {
  source: programOf(textFile('install-packages.sh', import.meta.url), START),
  isLong: true,
  args: (names) => names,
  reasons: {
    locked: 'node_role.tool_manager_locked',
    unavailable: 'node_role.packages_unavailable',
    disk_full: 'node_role.disk_full',
    failed: 'node_role.package_failed',
  },
  broken: 'node_role.package_failed',
  read: confirmed('installed'),
}
