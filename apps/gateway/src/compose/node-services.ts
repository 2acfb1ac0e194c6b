import {
  absentServices,
  type Call,
  type Certificates,
  type makeAgents,
  type makeClusters,
  type makeDns,
  type makeFirewall,
  type makeNetwork,
  type makePlacements,
  type makeRoles,
  type makeTools,
  type NodeAgent,
  type NodeRecord,
  type NodeServices,
  type WebsocketService,
  type WorkKind,
} from '@fleet/fleet'
import { noExporters } from './absent.ts'

/** The domains above Nodes whose services enrolment, roles and removal need. */
export interface AboveNodes {
  readonly network: ReturnType<typeof makeNetwork>
  readonly certificates: Certificates
  readonly workKinds: readonly WorkKind[]
  readonly dns: ReturnType<typeof makeDns>
  readonly firewall: ReturnType<typeof makeFirewall>
  readonly tools: ReturnType<typeof makeTools>
  readonly websocket: WebsocketService
  readonly roles: ReturnType<typeof makeRoles>
  readonly agents: ReturnType<typeof makeAgents>
  readonly clusters: ReturnType<typeof makeClusters>
}

/** The services behind the ports of Nodes. They are asked for late, because each domain is made after Nodes. */
export const nodeServices = (
  above: () => AboveNodes,
  placements: ReturnType<typeof makePlacements>,
): NodeServices => ({
  ...absentServices,
  get firewall() {
    return above().firewall.firewall.onNodes
  },
  get tunnel() {
    return tunnelWithNames(above())
  },
  get dns() {
    return above().dns.names
  },
  get agent() {
    return trusting(above().certificates, above().agents.agent)
  },
  get artifacts() {
    return [above().dns.artifact, above().websocket.artifact]
  },
  get roles() {
    return above().roles.services
  },
  get toolManagers() {
    return above().tools.toolManagers
  },
  get membership() {
    return above().clusters.membership
  },
  exporters: noExporters,
  owned: {
    ...absentServices.owned,
    instances: async (id) => (await placements.pathsOn(id)).length,
    firewallRules: (id) => above().firewall.firewall.countRules(id),
  },
})

/** A Node has names as long as it is in the network, so one that comes back gets them back. */
const tunnelWithNames = ({ network, dns }: AboveNodes): NodeServices['tunnel'] => ({
  ...network.tunnel,
  rejoin: async (call: Call, node: NodeRecord) => {
    await network.tunnel.rejoin(call, node)
    await dns.names.publish(call)
  },
})

/** Whatever the gateway installs on every managed Node begins with its root in the system store (RTX-099). */
const trusting = ({ trust }: Certificates, agent: NodeAgent): NodeAgent => ({
  ...agent,
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
