import { makeActivities } from '#/activities/api.ts'
import { makeCertificates, renewalKinds } from '#/certificates/api.ts'
import { makeClusters } from '#/clusters/api.ts'
import { bootstrapPackages } from '#/compose/bootstrap-packages.ts'
import type { Some } from '#/compose/domains.ts'
import type { ComposeParts } from '#/compose/parts.ts'
import { makeDns } from '#/dns/api.ts'
import { makeFirewall, ufw } from '#/firewall/api.ts'
import { makeGitHub } from '#/github/api.ts'
import { makeNetwork } from '#/network/api.ts'
import { staleUpdatesKind } from '#/node-lifecycle/api.ts'
import { makeNodes } from '#/nodes/api.ts'
import { makePhp } from '#/php/api.ts'
import { makeSiteSource } from '#/routes/api.ts'
import { makeSourceAccess } from '#/source-access/api.ts'
import { makeSourceHost } from '#/source-host/api.ts'
import { makeTools } from '#/tools/api.ts'
import { SAME_ACCOUNT, servedNetwork as served } from '#/compose/local.ts'
import { makeWebServer } from '#/web-server/api.ts'
import { makeWorkChecks } from '#/work/api.ts'

/** The domains that speak of machines: records, network, firewall, certificates, names, sites. */
export const ofMachines = (parts: ComposeParts) =>
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
        lan: { converge: (call, change) => all.firewall.firewall.lan.converge(call, change) },
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
    workKinds: ({
      nodes: { nodes, updates },
      clusters,
      certificates,
      websocket,
      routes,
      processes,
      schedules,
      deployments,
      hibernation,
    }) => [
      ...renewalKinds({ ...parts, nodes, certificates, sources: [websocket.leaves, routes.leaves] }),
      ...clusters.workKinds,
      ...routes.workKinds,
      staleUpdatesKind(updates),
      ...processes.workKinds,
      ...schedules.workKinds,
      ...deployments.workKinds,
      ...hibernation.workKinds,
    ],
    workChecks: () => makeWorkChecks(parts),
    dns: ({ nodes: { nodes }, network, routeNames: routes }) => makeDns({ ...parts, nodes, network, routes }),
    webServer: ({ nodes: { holders }, certificates, network }) =>
      makeWebServer({
        ...parts,
        holders,
        network,
        certificates,
        sources: [makeSiteSource({ ...parts, certificates, network: served(parts, network) })],
      }),
    tools: ({ nodes: { nodes } }) => makeTools({ ...parts, nodes, needed: { names: bootstrapPackages } }),
    php: ({ nodes: { holders }, network, poolSource: pools, productionSource: production }) =>
      makePhp({ ...parts, holders, network, pools, production }),
    sourceHost: () => makeSourceHost(parts),
    github: () => makeGitHub(parts),
    sourceAccess: ({ servedSource }) =>
      makeSourceAccess({
        ...parts,
        served: servedSource,
        ...(parts.local && { webServerAccount: SAME_ACCOUNT }),
      }),
  }) satisfies Some
