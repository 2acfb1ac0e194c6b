import { fail } from '@fleet/contract'
import { answerOf } from '#/agents/commands/answers.ts'
import { removeAgent } from '#/agents/commands/remove-agent.ts'
import type { AgentsParts } from '#/agents/parts.ts'
import { AGENT_PLACE } from '#/agents/place.ts'
import { storeSecretHash } from '#/agents/queries.ts'
import type { NodeAgent } from '#/agents/node-agent.ts'
import { EXECUTABLE_PLACE, identityOf } from '#/nodes/api.ts'

/** Its hash goes first: what may still run on the Node must not be able to ask any more. May be repeated. */
export const makeRemove =
  (parts: AgentsParts): NodeAgent['remove'] =>
  async (machine) => {
    const { executable, agent } = parts.places ?? { executable: EXECUTABLE_PLACE, agent: AGENT_PLACE }
    await storeSecretHash(parts.store.db, machine.node.id, null)
    const answer = answerOf(machine.node, await machine.asRoot(removeAgent(executable, agent)), [
      'unit',
      'files',
    ])
    if (!answer.has('removed'))
      throw fail('node.agent_install_failed', {
        details: { node: identityOf(machine.node), outcome: 'script_failed' },
      })
  }
