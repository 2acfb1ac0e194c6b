import type { NodeAgent } from '#/agents/api.ts'
import type { NodeTrust } from '#/certificates/api.ts'
import type { ClusterMembership } from '#/clusters/api.ts'
import type { NodeArtifact } from '#/nodes/api.ts'
import type { RoleDependencies } from '#/roles/api.ts'
import type { NodeRoutes } from '#/routes/api.ts'
import type { ToolManagers } from '#/tools/api.ts'

/** The domains that enrolment, converge and removal of a Node act through. */
export interface NodeServices extends RoleDependencies {
  readonly agent: NodeAgent
  /** The fleet's root in the system store: whatever runs on a managed Node trusts it (RTX-099). */
  readonly trust: NodeTrust
  /** In the order of an answer, after the agent. */
  readonly artifacts: readonly NodeArtifact[]
  readonly toolManagers: Pick<ToolManagers, 'ensureApt'>
  readonly membership: ClusterMembership
  /** What follows another top-level domain of the Node. */
  readonly routes: NodeRoutes
}
