import { agentQuestion } from '#/agents/checks/questions.ts'
import type { AgentsParts } from '#/agents/parts.ts'
import { findSecretHash } from '#/agents/queries.ts'
import { asked, type Check, differs, type FamilyChecks, type NodeRecord, nodeResource } from '#/nodes/api.ts'

/**
 * The agent's part of the family `node` (DRF-020 to DRF-022, DRF-025): for managed Linux Nodes, which are those with a
 * pinned host key. What hangs on an agent that is not there is not reported besides.
 */
export const makeAgentChecks = ({
  store,
  executables,
}: Pick<AgentsParts, 'store' | 'executables'>): FamilyChecks => ({
  family: 'node',
  checksOf: async (_call, node) => {
    if (node.platform !== 'linux' || node.ssh_host_fingerprint === null) return []
    const pinned = (await executables.find(node.architecture ?? ''))?.sha256
    return checksOf(node, await findSecretHash(store.db, node.id), pinned)
  },
})

function checksOf(
  node: NodeRecord,
  secretHash: string | undefined,
  pinned: string | undefined,
): readonly Check[] {
  const resource = nodeResource(node)
  return [
    asked('node.agent_missing', resource, agentQuestion, ({ installed }) =>
      installed ? undefined : { expected: 'installed', observed: 'missing' },
    ),
    asked('node.agent_inactive', resource, agentQuestion, ({ installed, active, agent }) =>
      installed && !(active && agent.running !== undefined)
        ? { expected: 'active', observed: active ? 'not ready' : 'inactive' }
        : undefined,
    ),
    asked('node.agent_binary_mismatch', resource, agentQuestion, ({ installed, executable }) =>
      installed && pinned !== undefined ? differs(short(pinned), short(executable.sha256)) : undefined,
    ),
    asked('node.agent_secret_mismatch', resource, agentQuestion, ({ installed, agent }) => {
      if (!installed) return undefined
      if (agent.secret === undefined) return { expected: 'match', observed: 'missing' }
      return agent.secret === secretHash ? undefined : { expected: 'match', observed: 'mismatch' }
    }),
    asked('node.cli_foreign', resource, agentQuestion, ({ executable }) =>
      executable.command === 'foreign' ? { expected: 'own', observed: 'foreign' } : undefined,
    ),
  ]
}

/** Enough of a digest to tell two programs apart by eye. */
const short = (sha256: string | undefined): string => sha256?.slice(0, 12) ?? 'missing'
