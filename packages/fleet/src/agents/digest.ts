import { agentFiles } from '#/agents/files.ts'
import { requireTarget } from '#/agents/converge.ts'
import type { AgentsParts } from '#/agents/parts.ts'
import type { NodeAgent } from '#/agents/node-agent.ts'
import { EXECUTABLE_PLACE, executableFor } from '#/nodes/api.ts'

/** NODE-121; throws `cli.architecture_unsupported` and `agent.not_configured`. */
export const makeDigest =
  (parts: AgentsParts): NodeAgent['digest'] =>
  async (node) => {
    const { sha256 } = await executableFor({ node }, parts.executables, node.architecture ?? '')
    return agentFiles(await requireTarget(parts), sha256, parts.places?.executable ?? EXECUTABLE_PLACE).digest
  }
