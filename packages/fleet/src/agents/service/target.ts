import { fail } from '@fleet/contract'
import { readRootCertificate, RootUnavailable } from '@fleet/pki'
import type { AgentGateway } from '#/agents/ports.ts'
import type { Network } from '#/network/api.ts'
import type { Nodes } from '#/nodes/api.ts'

export interface AgentGatewayDeps {
  readonly network: Pick<Network, 'settings'>
  readonly nodes: Pick<Nodes, 'gateway'>
  /** Folder of the fleet's own authority. */
  readonly caDirectory: string
}

/**
 * The gateway by the name of its certificate and the tunnel address of the Node with the active `gateway` role, read each
 * time: both may move. Throws `ca.unavailable`.
 */
export const makeAgentGateway = ({ network, nodes, caDirectory }: AgentGatewayDeps): AgentGateway => ({
  target: async () => {
    const settings = await network.settings()
    const address = (await nodes.gateway())?.wireguard_ip
    if (!settings || address === undefined || address === null) return undefined
    return { url: `https://gateway.${settings.suffix}`, address, rootCertificate: rootOf(caDirectory) }
  },
})

function rootOf(caDirectory: string): string {
  try {
    return readRootCertificate(caDirectory).certificate
  } catch (error) {
    if (error instanceof RootUnavailable) throw fail('ca.unavailable', { cause: error })
    throw error
  }
}
