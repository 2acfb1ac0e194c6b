import type { AgentsDeps } from '#/agents/deps.ts'
import type { AgentRealtime } from '#/realtime/api.ts'
import { findSecretHash } from '#/agents/queries.ts'
import { AGENT_PLACES, AGENT_UNIT, SECRET_FILE } from '#/agents/service/agent.ts'
import type { AgentViews } from '#/agents/view/views.ts'
import { serviceQuestion, type ServiceSight } from '#/managed-services/api.ts'
import { asked, type Check, differs, type FamilyChecks, type NodeRecord, nodeResource } from '#/nodes/api.ts'

type Views = Pick<AgentViews, 'of' | 'subscriber' | 'isSettling'>

export interface AgentChecksDeps extends Pick<AgentsDeps, 'store' | 'executables'> {
  readonly realtime: AgentRealtime
  readonly views: Views
}

/**
 * The agent's part of the family `node` (DRF-020 to DRF-023, DRF-025): for managed Linux Nodes, which are those with a
 * pinned host key. What hangs on an agent that is not there is not reported besides.
 */
export const makeAgentChecks = ({ store, executables, realtime, views }: AgentChecksDeps): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => {
    if (node.platform !== 'linux' || node.ssh_host_fingerprint === null) return []
    const pinned = (await executables.find(node.architecture ?? ''))?.sha256
    const checks = checksOf(node, await findSecretHash(store.db, node.id), pinned)
    // Without the service, agents have nowhere to report.
    return (await realtime.service()) ? [...checks, viewCheck(node, views)] : checks
  },
})

export const agentQuestion = serviceQuestion(AGENT_PLACES)

/** What the checks need of it. */
function agentOf({ state, program }: ServiceSight) {
  const unit = state.units.get(AGENT_UNIT)
  return {
    installed: unit?.hasFile === true,
    active: unit?.isActive === true,
    boots: unit?.isEnabled === true,
    running: state.running,
    secret: state.digests.get(SECRET_FILE),
    program,
  }
}

/** DRF-023. An agent that is not there or does not run is reported as that. */
const viewCheck = (node: NodeRecord, views: Views): Check =>
  asked('node.agent_view_stale', nodeResource(node), agentQuestion, (sight) => {
    const { installed, active } = agentOf(sight)
    const observed = installed && active ? viewTrouble(node.id, views) : undefined
    return observed === undefined ? undefined : { expected: 'fresh', observed }
  })

function viewTrouble(nodeId: number, views: Views): string | undefined {
  // After a start or a move of the service agents come one by one: none of them is late yet.
  if (views.isSettling()) return undefined
  const health = views.subscriber()
  if (health !== 'up') return health === 'down' ? 'subscriber_down' : 'disconnected'
  const { isFresh, units } = views.of(nodeId)
  return isFresh ? undefined : units ? 'stale' : 'missing'
}

function checksOf(
  node: NodeRecord,
  secretHash: string | undefined,
  pinned: string | undefined,
): readonly Check[] {
  const resource = nodeResource(node)
  return [
    asked('node.agent_missing', resource, agentQuestion, (sight) =>
      agentOf(sight).installed ? undefined : { expected: 'installed', observed: 'missing' },
    ),
    asked('node.agent_inactive', resource, agentQuestion, (sight) => {
      const { installed, active, boots, running } = agentOf(sight)
      if (!installed) return undefined
      if (!active || running === undefined)
        return { expected: 'active', observed: active ? 'not ready' : 'inactive', service: sight.trouble }
      return boots ? undefined : { expected: 'active', observed: 'does not start at boot' }
    }),
    asked('node.agent_binary_mismatch', resource, agentQuestion, (sight) => {
      const { installed, program } = agentOf(sight)
      return installed && pinned !== undefined ? differs(short(pinned), short(program?.sha256)) : undefined
    }),
    asked('node.agent_secret_mismatch', resource, agentQuestion, (sight) => {
      const { installed, secret } = agentOf(sight)
      if (!installed) return undefined
      if (secret === undefined) return { expected: 'match', observed: 'missing' }
      return secret === secretHash ? undefined : { expected: 'match', observed: 'mismatch' }
    }),
    asked('node.cli_foreign', resource, agentQuestion, ({ program }) =>
      program?.command === 'foreign' ? { expected: 'own', observed: 'foreign' } : undefined,
    ),
  ]
}

/** Enough of a digest to distinguish two programs by eye. */
const short = (sha256: string | undefined): string => sha256?.slice(0, 12) ?? 'missing'
