import { fail } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { AgentsDeps } from '#/agents/deps.ts'
import { findSecretHash, storeSecretHash } from '#/agents/queries.ts'
import { AGENT_PLACES, agentService, SECRET_FILE } from '#/agents/service/agent.ts'
import { holding, lockOf } from '#/locks/api.ts'
import { ensureService, executableFor, removeService } from '#/managed-services/api.ts'
import type { NodeAgent } from '#/agents/node-agent.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'

/**
 * The agent on a Node as this gateway declares it; restarted when anything of it changed, one round trip when nothing did.
 * The hash of a new secret is stored last: whatever breaks before leads to another secret at the next converge (AGT-014,
 * AGT-015, AGT-021). Throws `agent.*`, `cli.*`, `node.agent_install_failed` and what NodeSession throws.
 */
export const makeConverge =
  (deps: AgentsDeps): NodeAgent['converge'] =>
  (node, { force }) =>
    holding(deps.store, node.call, lockOf('agent', node.node.id), () =>
      withAgentCode(converge(deps, node, force)),
    )

async function converge(deps: AgentsDeps, node: NodeSession, force: boolean) {
  const { db } = deps.store
  const { id } = node.node
  const service = await serviceOf(deps, node.node, await findSecretHash(db, id))
  const { outcome, newSecrets } = await ensureService(deps, node, service, { force })
  const hash = newSecrets.get(SECRET_FILE)
  if (hash !== undefined) await storeSecretHash(db, id, hash)
  return outcome
}

/** NODE-121; throws `cli.architecture_unsupported` and `agent.not_configured`. */
export const makeDigest =
  (deps: AgentsDeps): NodeAgent['digest'] =>
  async (node) => {
    const { sha256 } = await executableFor({ node }, deps.executables, node.architecture ?? '')
    return (await serviceOf(deps, node)).renderFor(sha256).digest
  }

const serviceOf = async (deps: AgentsDeps, { user_home: userHome }: NodeRecord, secretHash?: string) =>
  agentService({ target: await requireTarget(deps), userHome, secretHash, ids: deps.ids })

/** Its hash goes first: what may still run on the Node must not be able to ask any more. May be repeated. */
export const makeRemove =
  (deps: AgentsDeps): NodeAgent['remove'] =>
  async (node) => {
    await storeSecretHash(deps.store.db, node.node.id, null)
    await removeService(deps, node, AGENT_PLACES)
  }

/** Throws `agent.not_configured`. */
async function requireTarget({ gateway }: AgentsDeps) {
  const target = await gateway.target()
  if (!target) throw fail('agent.not_configured')
  return target
}

/** AGT-019 names the agent's checksum, whose program is the one executable. */
async function withAgentCode<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== 'cli.checksum_mismatch') throw error
    throw fail('agent.checksum_mismatch', { details: { ...error.details }, cause: error })
  }
}
