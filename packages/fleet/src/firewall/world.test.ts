import { fail } from '@fleet/contract'
import type { DialectName, Row } from '@fleet/store'
import {
  addGatewayNode,
  addNode,
  FakeUfw,
  type NodeGiven,
  type NodesFleet,
  startNodesFleet,
  testDomains,
} from '@fleet/testing'
import type { FirewallDomain } from '#/firewall/api.ts'
import type { NodeRecord } from '#/nodes/api.ts'

export { EMPTY_RULES, EMPTY_RULES6, FakeUfw } from '@fleet/testing'

export interface FirewallWorld extends NodesFleet {
  readonly ufw: FakeUfw
  readonly domain: FirewallDomain
  /** Whether a public Route is live. */
  servesPublicRoutes: boolean
  addMachine(given?: NodeGiven): Promise<Row<'nodes'>>
  record(node: { readonly id: number }): Promise<NodeRecord>
}

export const TUNNEL_ADDRESS = '10.44.0.11'

/** The domain over Nodes that are rows and one firewall in memory that stands for all of them. */
export async function startFirewallWorld(dialect?: DialectName): Promise<FirewallWorld> {
  const fleet = await startNodesFleet(dialect)
  const ufw = new FakeUfw()
  ufw.load()
  const publicRoutes = { servesPublicRoutes: async () => world.servesPublicRoutes }
  const world: FirewallWorld = {
    ...fleet,
    ufw,
    servesPublicRoutes: false,
    domain: testDomains({ store: fleet.store, ssh: fleet.pool }, { firewallProgram: ufw, publicRoutes })
      .firewall,
    addMachine: (given) =>
      addNode(fleet.store, { platform: 'linux', wireguard_ip: TUNNEL_ADDRESS, roles: [], ...given }),
    record: async ({ id }) => {
      const node = await fleet.nodes.nodes.find(id)
      if (!node) throw fail('node.not_found')
      return node
    },
  }
  await addGatewayNode(fleet.store, { wireguard_ip: '10.44.0.1' })
  return world
}
