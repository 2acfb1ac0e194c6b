import type { NodeAgent } from '#/agents/api.ts'
import type { NodeServices } from '#/node-lifecycle/dependencies.ts'

/** The agent together with the fleet's root: whatever the gateway installs on a managed Node trusts it, so it comes first and goes last (RTX-099). */
export const trustingAgent = ({ agent, trust }: Pick<NodeServices, 'agent' | 'trust'>): NodeAgent => ({
  digest: (node) => agent.digest(node),
  converge: async (machine, options) => {
    const trusted = await trust.install(machine)
    const result = await agent.converge(machine, options)
    return trusted === 'installed' ? 'applied' : result
  },
  remove: async (machine) => {
    await agent.remove(machine)
    await trust.remove(machine)
  },
})
