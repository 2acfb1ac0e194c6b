import {
  absentServices,
  closeInterruptedRoles,
  DEFAULT_HUB_PORT,
  makeAccess,
  makeActivities,
  makeAgentGateway,
  makeAgents,
  makeCertificates,
  makeClusters,
  makeDns,
  makeDoctor,
  makeEnvironment,
  makeFirewall,
  makeGatewayFacts,
  makeInstances,
  makeNetwork,
  makeNodes,
  makePlacements,
  makeProjects,
  makeRealtime,
  makeRemoteGit,
  makeRoles,
  makeTools,
  nodeChecks,
  noRouterServices,
  PEER_PORT,
} from '@fleet/fleet'
import type {
  Access,
  ActivityTeller,
  AgentWork,
  Call,
  Certificates,
  ClusterRoutes,
  Deps,
  Handlers,
  Journal,
  Network,
  NodeExecutables,
  NodeRecord,
  NodeRegistry,
  NodesDomain,
  NodeAgent,
  Nodes,
  NodeServices,
  NodeUpdates,
  RealtimeDomain,
  RoleHolders,
  RouteNames,
  SshKeyParts,
  StatusParts,
  TrustParts,
} from '@fleet/fleet'
import { servedCertificates } from './certificates/served.ts'

export interface ComposeParts extends Deps {
  readonly facts: StatusParts & TrustParts & SshKeyParts
  /** Added to the environment of `git ls-remote` on this machine. */
  readonly gitEnvironment: Readonly<Record<string, string>>
  readonly gatewayId: string
  /** The gateway's own SSH key as a line of `authorized_keys`. */
  readonly sshPublicKey: string
  readonly executables: NodeExecutables
  readonly teller: ActivityTeller
}

/** Every service of one gateway. */
export interface Services {
  readonly handlers: Handlers
  readonly access: Access
  readonly journal: Journal
  readonly registry: NodeRegistry
  readonly nodes: Nodes
  readonly updates: NodeUpdates
  readonly retarget: NodesDomain['retarget']
  readonly realtime: RealtimeDomain
  readonly holders: RoleHolders
  readonly network: Network
  /** For the console alone. */
  /** For the start: ends the role changes of a gateway that died in the middle; how many there were. */
  closeInterruptedRoles(): Promise<number>
}

/** Builds each service once, lowest first. What a domain needs from one above it is bound late, through its port. */
export function compose(parts: ComposeParts): Services {
  const activities = makeActivities({
    ...parts,
    addressing: {
      addressable: (caller) => nodes.nodes.addressable(caller),
      hasGatewayGrant: (caller) => nodes.nodes.hasGatewayGrant(caller),
    },
  })
  const placements = makePlacements(parts.store)
  // Getters, because each service stands above Nodes and is made after them.
  const services: NodeServices = {
    ...absentServices,
    get firewall() {
      return firewall.firewall.onNodes
    },
    get tunnel() {
      return {
        ...network.tunnel,
        // A Node has names as long as it is in the network, so one that comes back gets them back.
        rejoin: async (call: Call, node: NodeRecord) => {
          await network.tunnel.rejoin(call, node)
          await dns.names.publish(call)
        },
      }
    },
    get dns() {
      return dns.names
    },
    get agent() {
      return trusting(certificates, agents.agent)
    },
    get artifacts() {
      return [dns.artifact]
    },
    get roles() {
      return roles.services
    },
    get toolManagers() {
      return tools.toolManagers
    },
    get membership() {
      return clusters.membership
    },
    exporters: noExporters,
    owned: {
      ...absentServices.owned,
      instances: async (id) => (await placements.pathsOn(id)).length,
      firewallRules: (id) => firewall.firewall.countRules(id),
    },
  }
  const nodes = makeNodes({ ...parts, checkouts: placements, services })
  const network = makeNetwork({ ...parts, nodes: nodes.nodes })
  const certificates = makeCertificates({
    ...parts,
    caDirectory: parts.facts.caDirectory,
    served: servedCertificates,
  })
  const dns = makeDns({ ...parts, nodes: nodes.nodes, network, routes: noRouteNames })
  const firewall = makeFirewall({
    ...parts,
    nodes: nodes.nodes,
    surroundings: {
      hubPort: async () => (await network.settings())?.hubPort ?? DEFAULT_HUB_PORT,
      peerPort: PEER_PORT,
      // No Route exists until the domain of Routes does.
      servesPublicRoutes: () => Promise.resolve(false),
    },
  })
  const tools = makeTools(parts)
  const roles = makeRoles({
    ...parts,
    runtime: {
      firewall: firewall.firewall.onNodes,
      membership: { tldOf: (node) => clusters.membership.tldOf(node) },
      vpn: {
        ensureHub: async ({ call }) => void (await network.tunnel.publish(call)),
        ensureDns: (machine) => dns.ensure(machine),
      },
    },
  })
  const realtime = makeRealtime({ holders: nodes.holders })
  const agents = makeAgents({
    ...parts,
    nodes: nodes.nodes,
    gateway: makeAgentGateway({ network, nodes: nodes.nodes, caDirectory: parts.facts.caDirectory }),
    executables: parts.executables,
    realtime: realtime.forAgents,
    work: noAgentWork,
  })
  const clusters = makeClusters({
    ...parts,
    nodes: nodes.nodes,
    routes: {
      ...noClusterRoutes,
      publish: (call, _change, cluster) => dns.publishAs(call, cluster),
      settle: (call) => dns.names.publish(call),
    },
    services: noRouterServices,
  })
  const projects = makeProjects({
    ...parts,
    nodes: nodes.nodes,
    git: makeRemoteGit(parts.gitEnvironment),
    placements,
  })
  const instances = makeInstances({ ...parts, nodes: nodes.nodes, projects: projects.projects })
  // No Route exists until the domain of Routes does, so no Instance has one.
  const routes = { ownRoute: () => Promise.resolve(undefined) }
  const environment = makeEnvironment({
    ...parts,
    nodes: nodes.nodes,
    instances: instances.instances,
    routes,
  })
  // Each domain adds its part of a family; a family without any has nothing to check yet.
  const doctor = makeDoctor({
    ...parts,
    nodes: nodes.nodes,
    families: [nodeChecks, agents.checks, roles.checks, network.checks, dns.checks, ...firewall.checks],
  })
  return {
    handlers: {
      ...makeGatewayFacts(parts.facts).handlers,
      ...activities.handlers,
      ...nodes.handlers,
      ...realtime.handlers,
      ...agents.handlers,
      ...firewall.handlers,
      ...clusters.handlers,
      ...projects.handlers,
      ...instances.handlers,
      ...environment.handlers,
      ...doctor.handlers,
    },
    access: makeAccess({
      ...parts,
      nodes: nodes.nodes,
      clusters: clusters.clusters,
      firewall: firewall.firewall,
      projects: projects.projects,
      instances: instances.instances,
      authenticateAgent: agents.authenticate,
    }),
    journal: activities.journal,
    registry: nodes.registry,
    retarget: nodes.retarget,
    closeInterruptedRoles: () => closeInterruptedRoles(parts.store),
    nodes: nodes.nodes,
    updates: nodes.updates,
    realtime,
    holders: nodes.holders,
    network,
  }
}

// No Node can hold the role `metrics` until the domain of Metrics does, so nobody reads exporters.
const noExporters: NodeServices['exporters'] = {
  reconcile: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
  revokeAccess: () => Promise.resolve(),
}

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

// No Route exists until the domain of Routes does: no Cluster owns one, no change moves one, none has a name.
const noClusterRoutes: Pick<ClusterRoutes, 'countOwned' | 'concerned'> = {
  countOwned: () => Promise.resolve(0),
  concerned: () => Promise.resolve([]),
}
const noRouteNames: RouteNames = { list: () => Promise.resolve([]) }

// No task has a workspace and no log has a stream until their domains exist.
const noAgentWork: AgentWork = {
  workspaces: () => Promise.resolve([]),
  logStreams: () => Promise.resolve([]),
}
