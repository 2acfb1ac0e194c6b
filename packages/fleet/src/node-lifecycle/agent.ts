import type { NodeAgent } from '#/agents/api.ts'
import type { NodeServices } from '#/node-lifecycle/dependencies.ts'

/** The agent together with the fleet's root: whatever the gateway installs on a managed Node trusts it, so it comes first and goes last (RTX-099). */
export const trustingAgent = ({ agent, trust }: Pick<NodeServices, 'agent' | 'trust'>): NodeAgent => ({
  digest: (node) => agent.digest(node),
  converge: async (session, options) => {
    const trusted = await trust.install(session)
    const result = await agent.converge(session, options)
    return trusted === 'installed' ? 'applied' : result
  },
  remove: async (session) => {
    await agent.remove(session)
    await trust.remove(session)
  },
})
