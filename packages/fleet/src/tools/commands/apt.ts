import { textFile } from '@fleet/shell'
import type { Reasons } from '#/nodes/api.ts'

/** `apt`, `update` and `why`: the package manager without questions, and the reason of what it says. */
export const APT: string = textFile('apt.sh', import.meta.url)

export const APT_REASONS = {
  locked: 'node_role.tool_manager_locked',
  unavailable: 'node_role.packages_unavailable',
  disk_full: 'node_role.disk_full',
  failed: 'node_role.package_failed',
} as const satisfies Reasons
