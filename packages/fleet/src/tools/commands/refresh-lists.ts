import { confirmed, type NodeScript } from '#/nodes/api.ts'
import { programOf, START, textFile } from '@fleet/shell'
import { APT, APT_REASONS, lockHolder } from '#/tools/commands/apt.ts'

/** Fetches what the package sources offer. */
export const refreshLists: NodeScript<void, void> = {
  source: programOf(textFile('refresh-lists.sh', import.meta.url), START, APT),
  isLong: true,
  reasons: APT_REASONS,
  more: lockHolder,
  broken: 'node_role.packages_unavailable',
  read: confirmed('refreshed'),
}
