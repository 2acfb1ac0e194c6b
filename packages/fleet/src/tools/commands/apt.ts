import { type Answer, textFile } from '@fleet/shell'
import type { MoreOfRefusal, Reasons } from '#/nodes/api.ts'

/** `apt`, `update` and `why`: the package manager without questions, and the reason of what it says. */
export const APT: string = textFile('apt.sh', import.meta.url)

/** What somebody has fixed is theirs to release. */
export const HELD =
  'It needs another version of a package that is on hold on the Node, so nothing was changed. `apt-mark showhold` there names those that ' +
  'are, `apt-mark unhold` releases one.'

export const APT_REASONS = {
  locked: 'node_role.tool_manager_locked',
  unavailable: 'node_role.packages_unavailable',
  disk_full: 'node_role.disk_full',
  held: ['node_role.package_failed', HELD],
  failed: 'node_role.package_failed',
} as const satisfies Reasons

const HOLDER = /^([1-9]\d{0,9}) ([\w.+-]{1,15})$/

/** Who has the package database, where apt knew it: what is no plain name of a program is left out. */
export function lockHolder(answer: Answer, reason: string): MoreOfRefusal | undefined {
  if (reason !== 'locked') return undefined
  const [, pid, name] = HOLDER.exec(answer.get('holder')?.toString() ?? '') ?? []
  if (pid === undefined || name === undefined) return undefined
  return {
    message:
      `On the Node, ${name} (process ${pid}) kept the package database locked, so nothing was changed. ` +
      `\`ps -fp ${pid}\` there says what it is; repeat the command once it has ended.`,
    details: { holder: { process_id: Number(pid), program: name } },
  }
}
