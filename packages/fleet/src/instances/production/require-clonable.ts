import { fail } from '@fleet/contract'
import type { Call } from '#/call.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProjectRecord } from '#/projects/api.ts'
import type { Account } from './homes.ts'

interface WantedClone {
  readonly project: ProjectRecord
  readonly node: NodeRecord
  readonly branch: string
  readonly account: Account
}

/**
 * What no repeat of the request would get past is asked before the clone is recorded, so that its refusal leaves nothing (GW-027).
 * Throws `instance.clone_target_branch_missing`, `instance.production_placement_conflict` and what `requireInstallable` does.
 */
export async function requireClonable(
  { projects, nodes, homes, definitions }: Pick<InstanceDeps, 'projects' | 'nodes' | 'homes' | 'definitions'>,
  call: Call,
  { project, node, branch, account }: WantedClone,
): Promise<void> {
  const session = nodes.sessions.overTunnel(call, node)
  await homes.requireFree(session, account)
  await definitions.requireInstallable(session, project.id)
  // The Node of the clone may read a repository that the gateway cannot read now.
  if ((await projects.hasBranch(call, project, branch)) === false) throw cloneBranchMissing(branch)
}

export const cloneBranchMissing = (branch: string) =>
  fail('instance.clone_target_branch_missing', { details: { branch } })
