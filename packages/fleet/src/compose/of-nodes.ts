import { makeAgentGateway, makeAgents } from '#/agents/api.ts'
import type { RouterServices } from '#/clusters/api.ts'
import { noExporters, noWorkspaces } from '#/compose/absent.ts'
import type { Domains, Some } from '#/compose/domains.ts'
import type { ComposeDeps } from '#/compose/deps.ts'
import { makeNodeLifecycle, type NodeServices } from '#/node-lifecycle/api.ts'
import { makeRealtime, makeWebsocketService } from '#/realtime/api.ts'
import { makeRoleHandlers, makeRoles, makeRouterServices } from '#/roles/api.ts'

/** What runs on a Node for Fleet: events, agents, roles, and the life of the Node itself. */
export const ofNodes = (deps: ComposeDeps) =>
  ({
    realtime: ({ nodes: { holders, nodes } }) => makeRealtime({ holders, nodes }),
    websocket: ({ nodes: { holders }, realtime, network, certificates }) =>
      makeWebsocketService({ ...deps, holders, realtime, network, certificates, probe: deps.serverProbe }),
    agentGateway: ({ network, nodes: { nodes } }) =>
      makeAgentGateway({ network, nodes, caDirectory: deps.facts.caDirectory }),
    agents: (all) => {
      const { nodes } = all.nodes
      return makeAgents({
        ...deps,
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
      tools: { toolManagers },
    }) =>
      makeRoles({
        ...deps,
        firewall: firewall.firewall.onNodes,
        membership,
        tunnel,
        dns,
        websocket,
        webServer,
        php,
        toolManagers,
        routers: routes.onRouters,
        edge: routes.edge,
      }),
    nodeServices: servicesOf,
    routerServices: (all) => routersOf(deps, all),
    roleHandlers: ({ nodes: { nodes }, nodeServices: services }) =>
      makeRoleHandlers({ ...deps, sessions: nodes.sessions, services }),
    lifecycle: ({ placements, nodeServices: services }) =>
      makeNodeLifecycle({ ...deps, placements, services }),
  }) satisfies Some

/** Made when they are used: roles are made from Clusters. */
const routersOf = (deps: ComposeDeps, all: Domains): RouterServices => {
  const services = (): RouterServices =>
    makeRouterServices({
      ...deps,
      nodes: all.nodes.nodes,
      sessions: all.nodes.nodes.sessions,
      services: all.nodeServices,
      sites: all.routes.onRouters,
      lan: all.firewall.firewall.lan,
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
      dependentRoutes: async (nodeId) => (await all.routes.edge.domainsBehind(nodeId)).length,
      publicDomains: (nodeId) => all.routes.edge.domainsBehind(nodeId),
      routes: (nodeId, db) => all.routes.countOn(nodeId, db),
      openTransfers: (nodeId, db) => all.placements.openTransfers(nodeId, db),
      instances: async (nodeId, db) => (await all.placements.pathsOn(nodeId, db)).length,
      firewallRules: (nodeId) => firewall.countRules(nodeId),
      processes: (nodeId) => all.processes.countOn(nodeId),
      schedules: (nodeId) => all.schedules.countOn(nodeId),
      databaseServers: (nodeId) => all.databases.countServersOn(nodeId),
      dropProcesses: (tx, call, nodeId) => all.processes.dropOn(tx, call, nodeId),
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
      all.routes.applicationUrls,
      all.instances.residue,
      all.processes.artifact,
      all.schedules.artifact,
      all.databases.artifact,
      all.firewall.artifact,
    ],
    toolManagers: all.tools.toolManagers,
    membership: all.clusters.membership,
    routes: all.routes.forNodes,
  }
}
