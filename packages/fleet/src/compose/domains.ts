import { type ActivitiesDomain, makeActivities } from '#/activities/api.ts'
import { type AgentGateway, type AgentsDomain, makeAgentGateway, makeAgents } from '#/agents/api.ts'
import { type Certificates, makeCertificates, renewalKinds } from '#/certificates/api.ts'
import { type ClusterRoutes, type ClustersDomain, makeClusters, type RouterServices } from '#/clusters/api.ts'
import { bootstrapPackages } from '#/compose/bootstrap-packages.ts'
import { noExporters, noLaterRecords, noPublicRoutes, noReleases, noWorkspaces } from '#/compose/absent.ts'
import { asked, joined } from '#/compose/late.ts'
import { lazily, type Makers } from '#/compose/lazily.ts'
import type { ComposeParts } from '#/compose/parts.ts'
import { type DatabasesDomain, makeDatabases } from '#/databases/api.ts'
import { type DependenciesDomain, makeDependencies, type SelectedReleases } from '#/dependencies/api.ts'
import { type Dns, makeDns, type RouteNames } from '#/dns/api.ts'
import { makeDoctor } from '#/doctor/api.ts'
import { type Environment, makeEnvironment, type OwnRoutes } from '#/environment/api.ts'
import {
  type FirewallDomain,
  type FirewallProgram,
  makeFirewall,
  type PublicRoutes,
  ufw,
} from '#/firewall/api.ts'
import { type InstanceRoutes, type InstancesDomain, makeInstances, makePlacements } from '#/instances/api.ts'
import { type LogsDomain, makeLogs } from '#/logs/api.ts'
import { makeNetwork, type Network } from '#/network/api.ts'
import {
  makeNodeLifecycle,
  type NodeLifecycle,
  type NodeServices,
  staleUpdatesKind,
} from '#/node-lifecycle/api.ts'
import { type FamilyChecks, makeNodes, nodeChecks, type NodesDomain } from '#/nodes/api.ts'
import { makePhp, type Php, type PoolSource } from '#/php/api.ts'
import { makeProcesses, type ProcessesDomain } from '#/processes/api.ts'
import { makeProjects, makeRemoteGit, type ProjectsDomain, type RemoteGit } from '#/projects/api.ts'
import {
  makeRealtime,
  makeWebsocketService,
  type RealtimeDomain,
  type WebsocketService,
} from '#/realtime/api.ts'
import {
  makeRoleHandlers,
  makeRoles,
  makeRouterServices,
  type RoleHandlers,
  type RolesDomain,
} from '#/roles/api.ts'
import {
  applicationUrls,
  makeOwnRoutes,
  makePoolSource,
  makeRoutes,
  makeServedSource,
  makeSiteSource,
  type RoutesDomain,
} from '#/routes/api.ts'
import { makeSchedules, type SchedulesDomain } from '#/schedules/api.ts'
import { makeSourceAccess, type ServedSource, type SourceAccess } from '#/source-access/api.ts'
import { makeTools, type ToolsDomain } from '#/tools/api.ts'
import { makeWebServer, type WebServer } from '#/web-server/api.ts'
import { makeWorkChecks, type WorkKind } from '#/work/api.ts'

/** Every domain of one gateway, and what a test may want to replace of them. */
export interface Domains {
  readonly placements: ReturnType<typeof makePlacements>
  readonly nodes: NodesDomain
  readonly activities: ActivitiesDomain
  readonly clusters: ClustersDomain
  readonly network: Network
  readonly firewallProgram: FirewallProgram
  readonly firewall: FirewallDomain
  readonly certificates: Certificates
  readonly dns: Dns
  readonly webServer: WebServer
  readonly tools: ToolsDomain
  readonly php: Php
  readonly sourceAccess: SourceAccess
  readonly realtime: RealtimeDomain
  readonly websocket: WebsocketService
  /** What this gateway does without a request. */
  readonly workKinds: readonly WorkKind[]
  readonly workChecks: FamilyChecks
  /** Where agents reach this gateway. */
  readonly agentGateway: AgentGateway
  readonly agents: AgentsDomain
  readonly roles: RolesDomain
  /** What roles and the lifecycle of Nodes do on machines. */
  readonly nodeServices: NodeServices
  readonly roleHandlers: RoleHandlers
  readonly lifecycle: NodeLifecycle
  readonly git: RemoteGit
  readonly projects: ProjectsDomain
  readonly instances: InstancesDomain
  readonly processes: ProcessesDomain
  readonly schedules: SchedulesDomain
  readonly environment: Environment
  readonly databases: DatabasesDomain
  readonly dependencies: DependenciesDomain
  readonly routes: RoutesDomain
  readonly logs: LogsDomain
  /** What Doctor checks. */
  readonly families: readonly FamilyChecks[]
  readonly doctor: ReturnType<typeof makeDoctor>
  // What domains that come later will answer.
  readonly clusterRoutes: ClusterRoutes
  readonly routerServices: RouterServices
  readonly routeNames: RouteNames
  readonly publicRoutes: PublicRoutes
  readonly poolSource: PoolSource
  readonly servedSource: ServedSource
  readonly ownRoutes: OwnRoutes
  readonly instanceRoutes: InstanceRoutes
  readonly releases: SelectedReleases
}

export interface Composition extends ComposeParts {
  /** What a test puts in the place of a domain; everything else is built over it. */
  readonly fakes?: Partial<Domains> | undefined
}

/** The domains, each made when it is first asked for. What one needs from a later one is asked for when it is used. */
export const makeDomains = (parts: Composition): Domains =>
  lazily({ ...ofMachines(parts), ...ofNodes(parts), ...ofWork(parts), ...LATER }, parts.fakes)

type Some = Partial<Makers<Domains>>

const ofMachines = (parts: ComposeParts) =>
  ({
    nodes: (all) =>
      makeNodes({
        ...parts,
        placements: all.placements,
        names: { publish: (call) => all.nodeServices.dns.publish(call) },
      }),
    activities: ({ nodes: { nodes } }) => makeActivities({ ...parts, nodes }),
    clusters: (all) =>
      makeClusters({
        ...parts,
        nodes: all.nodes.nodes,
        routes: all.clusterRoutes,
        services: all.routerServices,
      }),
    network: ({ nodes: { nodes } }) => makeNetwork({ ...parts, nodes }),
    firewallProgram: () => ufw,
    firewall: ({ nodes: { nodes }, network, publicRoutes, firewallProgram: program }) =>
      makeFirewall({ ...parts, nodes, network, routes: publicRoutes, program }),
    certificates: (all) =>
      makeCertificates({
        ...parts,
        caDirectory: parts.facts.caDirectory,
        served: parts.servedCertificates,
        suffix: async () => (await all.network.settings())?.suffix,
      }),
    workKinds: ({ nodes: { nodes, updates }, certificates, websocket, routes, schedules }) => [
      ...renewalKinds({ ...parts, nodes, certificates, sources: [websocket.leaves, routes.leaves] }),
      ...routes.workKinds,
      staleUpdatesKind(updates),
      ...schedules.workKinds,
    ],
    workChecks: () => makeWorkChecks(parts),
    dns: ({ nodes: { nodes }, network, routeNames: routes }) => makeDns({ ...parts, nodes, network, routes }),
    webServer: ({ nodes: { holders }, certificates, network }) =>
      makeWebServer({ ...parts, holders, network, sources: [makeSiteSource({ ...parts, certificates })] }),
    tools: ({ nodes: { nodes } }) => makeTools({ ...parts, nodes, needed: { names: bootstrapPackages } }),
    php: ({ nodes: { holders }, network, poolSource: pools }) =>
      makePhp({ ...parts, holders, network, pools }),
    sourceAccess: ({ servedSource: served }) => makeSourceAccess({ ...parts, served }),
  }) satisfies Some

const ofNodes = (parts: ComposeParts) =>
  ({
    realtime: ({ nodes: { holders, nodes } }) => makeRealtime({ holders, nodes }),
    websocket: ({ nodes: { holders }, realtime, network, certificates }) =>
      makeWebsocketService({ ...parts, holders, realtime, network, certificates, probe: parts.serverProbe }),
    agentGateway: ({ network, nodes: { nodes } }) =>
      makeAgentGateway({ network, nodes, caDirectory: parts.facts.caDirectory }),
    agents: (all) => {
      const { nodes } = all.nodes
      return makeAgents({
        ...parts,
        nodes,
        gateway: all.agentGateway,
        realtime: all.realtime.forAgents,
        work: { ...noWorkspaces, logStreams: (nodeId) => all.logs.work.logStreams(nodeId) },
      })
    },
    roles: ({
      firewall,
      clusters: { membership },
      network: { tunnel },
      dns,
      websocket,
      webServer,
      php,
      routes,
    }) =>
      makeRoles({
        ...parts,
        firewall: firewall.firewall.onNodes,
        membership,
        tunnel,
        dns,
        websocket,
        webServer,
        php,
        routers: routes.onRouters,
      }),
    nodeServices: servicesOf,
    routerServices: (all) => routersOf(parts, all),
    roleHandlers: ({ nodes: { nodes }, nodeServices: services }) =>
      makeRoleHandlers({ ...parts, sessions: nodes.sessions, services }),
    lifecycle: ({ placements, nodeServices: services }) =>
      makeNodeLifecycle({ ...parts, placements, services }),
  }) satisfies Some

/** Made when they are used: roles are made from Clusters. */
const routersOf = (parts: ComposeParts, all: Domains): RouterServices => {
  const services = (): RouterServices =>
    makeRouterServices({
      ...parts,
      nodes: all.nodes.nodes,
      sessions: all.nodes.nodes.sessions,
      services: all.nodeServices,
      sites: all.routes.onRouters,
    })
  return {
    requireCapable: (...given) => services().requireCapable(...given),
    converge: (...given) => services().converge(...given),
    withdraw: (...given) => services().withdraw(...given),
  }
}

const servicesOf = (all: Domains): NodeServices => {
  const { firewall } = all.firewall
  return {
    firewall: firewall.onNodes,
    tunnel: all.network.tunnel,
    dns: all.dns.names,
    roles: all.roles.services,
    exporters: noExporters,
    owned: {
      ...noLaterRecords,
      routes: (nodeId) => all.routes.countOn(nodeId),
      instances: async (nodeId) => (await all.placements.pathsOn(nodeId)).length,
      firewallRules: (nodeId) => firewall.countRules(nodeId),
      processes: (nodeId) => all.processes.countOn(nodeId),
      schedules: (nodeId) => all.schedules.countOn(nodeId),
      databaseServers: (nodeId) => all.databases.countServersOn(nodeId),
      dropProcesses: (call, nodeId) => all.processes.dropOn(call, nodeId),
    },
    agent: all.agents.agent,
    trust: all.certificates.trust,
    artifacts: [
      // Before the sites that lead to its sockets.
      all.php.artifact,
      all.webServer.artifact,
      all.dns.artifact,
      all.websocket.artifact,
      all.routes.residue,
      all.instances.residue,
      all.processes.artifact,
      all.schedules.artifact,
      all.databases.artifact,
      all.firewall.artifact,
    ],
    toolManagers: all.tools.toolManagers,
    membership: all.clusters.membership,
  }
}

const ofWork = (parts: ComposeParts) =>
  ({
    placements: () => makePlacements(parts.store),
    git: () => makeRemoteGit(parts.gitEnvironment),
    projects: ({ nodes: { nodes }, git, placements }) => makeProjects({ ...parts, nodes, git, placements }),
    instances: (all) =>
      makeInstances({
        ...parts,
        nodes: all.nodes.nodes,
        projects: all.projects.projects,
        routes: all.instanceRoutes,
        // A run may use what Processes serve, and these what databases hold.
        runtime: joined(() => [
          all.schedules.runtime,
          all.processes.runtime,
          {
            stop: async () => undefined,
            remove: ({ call }, id) => all.databases.forInstances.remove(call, id),
            leaveBehind: (tx, call, { instanceId }) =>
              all.databases.forInstances.leaveBehind(tx, call, instanceId),
          },
        ]),
      }),
    processes: (all) =>
      makeProcesses({
        ...parts,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        views: all.agents.views,
        domains: { ownRoute: (instanceId, db) => all.ownRoutes.ownRoute(instanceId, db) },
        releases: all.releases,
        databases: { serverOf: (processId) => all.databases.serverOf(processId) },
      }),
    schedules: (all) =>
      makeSchedules({
        ...parts,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        releases: all.releases,
      }),
    environment: ({ nodes: { nodes }, instances: { instances }, ownRoutes: routes }) =>
      makeEnvironment({ ...parts, nodes, instances, routes }),
    logs: ({
      nodes: { nodes },
      realtime,
      environment,
      instances: { instances },
      processes: { processes },
      agents: { views },
    }) =>
      makeLogs({
        ...parts,
        nodes,
        realtime,
        environment,
        instances,
        processes,
        views,
        publisher: parts.logPublisher,
      }),
    databases: ({
      nodes: { nodes },
      instances: { instances },
      environment,
      processes: { servers: containers },
    }) => makeDatabases({ ...parts, nodes, instances, environment, containers }),
    dependencies: ({ nodes: { nodes }, instances: { instances }, releases }) =>
      makeDependencies({ ...parts, nodes, instances, releases }),
    routes: (all) =>
      makeRoutes({
        ...parts,
        nodes: all.nodes.nodes,
        clusters: all.clusters.clusters,
        instances: all.instances.instances,
        network: all.network,
        certificates: all.certificates,
        webServer: all.webServer,
        names: all.dns.names,
        php: all.php,
        sourceAccess: all.sourceAccess,
        applicationUrls,
      }),
    poolSource: () => makePoolSource(parts),
    servedSource: () => makeServedSource(parts),
    families: familiesOf,
    doctor: ({ nodes: { nodes }, families }) => makeDoctor({ ...parts, nodes, families }),
  }) satisfies Some

const LATER = {
  clusterRoutes: (all) => ({
    countOwned: (clusterId) => all.routes.countInCluster(clusterId),
    concerned: (change) => all.routes.forClusters.concerned(change),
    publish: async (call, change, cluster) => {
      await all.routes.forClusters.prepare(call, change)
      await all.dns.publishAs(call, cluster)
    },
    store: (...given) => all.routes.forClusters.store(...given),
    moved: (...given) => all.routes.forClusters.moved(...given),
    settle: (call) => all.dns.names.publish(call),
  }),
  routeNames: (all) => ({ list: () => all.routes.names.list() }),
  publicRoutes: () => noPublicRoutes,
  ownRoutes: makeOwnRoutes,
  instanceRoutes: (all) => asked(() => all.routes.forInstances),
  releases: () => noReleases,
} satisfies Some

/** Each domain adds its part of a family; a family without any has nothing to check yet. */
const familiesOf = (all: Domains) => [
  nodeChecks,
  all.workChecks,
  all.agents.checks,
  all.roles.checks,
  all.network.checks,
  all.dns.checks,
  all.webServer.checks,
  ...all.php.checks,
  all.certificates.checks,
  all.websocket.checks,
  ...all.firewall.checks,
  ...all.instances.checks,
  all.dependencies.checks,
  all.schedules.checks,
  all.tools.checks,
  ...all.processes.checks,
  ...all.routes.checks,
  all.databases.checks,
  all.databases.attachmentChecks,
  all.databases.residueChecks,
]
