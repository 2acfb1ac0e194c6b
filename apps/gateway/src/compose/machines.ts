import {
  type ActivitiesDomain,
  type AgentWork,
  DEFAULT_HUB_PORT,
  makeActivities,
  makeAgentGateway,
  makeAgents,
  makeCertificates,
  makeClusters,
  makeDns,
  makeFirewall,
  makeNetwork,
  makeNodeLifecycle,
  makeNodes,
  makePlacements,
  makeRealtime,
  makeRoleHandlers,
  makeRoles,
  makeTools,
  makeWebsocketService,
  type NodeLifecycle,
  type NodesDomain,
  noRouterServices,
  PEER_PORT,
  type RealtimeDomain,
  type RoleHandlers,
  renewalKinds,
} from '@fleet/fleet'
import { servedCertificates } from '../certificates/served.ts'
import { noClusterRoutes, noPublicRoutes, noRouteNames } from './absent.ts'
import { type AboveNodes, nodeServices } from './node-services.ts'
import type { ComposeParts } from './parts.ts'

/** The domains of machines: everything that is there before the first Project. */
export interface MachineDomains extends AboveNodes {
  readonly activities: ActivitiesDomain
  readonly nodes: NodesDomain
  readonly roleHandlers: RoleHandlers
  readonly lifecycle: NodeLifecycle
  readonly realtime: RealtimeDomain
  readonly placements: ReturnType<typeof makePlacements>
}

/** `agentWork` stands above: what agents are to watch. */
export function composeMachines(parts: ComposeParts, agentWork: AgentWork): MachineDomains {
  const placements = makePlacements(parts.store)
  const activities = makeActivities({
    ...parts,
    addressing: {
      addressable: (caller) => nodes.nodes.addressable(caller),
      hasGatewayGrant: (caller) => nodes.nodes.hasGatewayGrant(caller),
    },
  })
  const services = parts.machines?.services ?? nodeServices(() => above, placements)
  const nodes = makeNodes({ ...parts, checkouts: placements })
  const realtime = makeRealtime({ holders: nodes.holders })
  const above = composeAboveNodes({ ...parts, agentWork }, nodes, realtime)
  const given = { ...parts, checkouts: placements, services }
  const roleHandlers = makeRoleHandlers({ ...given, machines: nodes.nodes.machines })
  const lifecycle = makeNodeLifecycle(given)
  return { ...above, activities, nodes, roleHandlers, lifecycle, realtime, placements }
}

function composeAboveNodes(
  parts: ComposeParts & { readonly agentWork: AgentWork },
  { nodes, holders }: NodesDomain,
  realtime: RealtimeDomain,
): AboveNodes {
  const { websocketPort } = parts
  const { caDirectory } = parts.facts
  const network = makeNetwork({ ...parts, nodes })
  const certificates = makeCertificates({
    ...parts,
    caDirectory,
    served: servedCertificates,
    suffix: async () => (await network.settings())?.suffix,
  })
  const dns = makeDns({ ...parts, nodes, network, routes: noRouteNames })
  const hubPort = async () => (await network.settings())?.hubPort ?? DEFAULT_HUB_PORT
  const surroundings = { ...noPublicRoutes, hubPort, peerPort: PEER_PORT, websocketPort }
  const program = parts.machines?.firewall
  const firewall = makeFirewall({ ...parts, nodes, surroundings, ...(program ? { program } : {}) })
  const websocket = makeWebsocketService({
    ...parts,
    holders,
    realtime,
    network,
    certificates,
    probe: parts.serverProbe,
  })
  const workKinds = renewalKinds({ ...parts, nodes, certificates, sources: [websocket.leaves] })
  const roles = makeRoles({
    ...parts,
    runtime: {
      firewall: firewall.firewall.onNodes,
      membership: { tldOf: (node) => clusters.membership.tldOf(node) },
      vpn: {
        ensureHub: async ({ call }) => void (await network.tunnel.publish(call)),
        ensureDns: (machine) => dns.ensure(machine),
      },
      websocket,
    },
  })
  const agents = makeAgents({
    ...parts,
    nodes,
    gateway: makeAgentGateway({ network, nodes, caDirectory }),
    realtime: realtime.forAgents,
    work: parts.agentWork,
  })
  const clusters = makeClusters({
    ...parts,
    nodes,
    routes: {
      ...noClusterRoutes,
      publish: (call, _change, cluster) => dns.publishAs(call, cluster),
      settle: (call) => dns.names.publish(call),
    },
    services: noRouterServices,
  })
  const tools = makeTools(parts)
  return { network, certificates, workKinds, dns, firewall, tools, websocket, roles, agents, clusters }
}
