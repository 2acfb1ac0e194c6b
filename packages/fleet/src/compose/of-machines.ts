import { makeActivities } from '#/activities/api.ts'
import { makeCertificates, renewalKinds } from '#/certificates/api.ts'
import { makeClusters } from '#/clusters/api.ts'
import { bootstrapPackages } from '#/compose/bootstrap-packages.ts'
import type { Some } from '#/compose/domains.ts'
import type { ComposeDeps } from '#/compose/deps.ts'
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
export const ofMachines = (deps: ComposeDeps) =>
  ({
    nodes: (all) =>
      makeNodes({
        ...deps,
        placements: all.placements,
        names: {
          publish: (call) => all.nodeServices.dns.publish(call),
          routeUnder: async (name) => {
            const settings = await served(deps, all.network).settings()
            return settings && all.routes.ofDomain(`${name}.${settings.suffix}`)
          },
        },
      }),
    activities: ({ nodes: { nodes } }) => makeActivities({ ...deps, nodes }),
    clusters: (all) =>
      makeClusters({
        ...deps,
        nodes: all.nodes.nodes,
        routes: all.clusterRoutes,
        services: all.routerServices,
        lan: { converge: (call, change) => all.firewall.firewall.lan.converge(call, change) },
      }),
    network: ({ nodes: { nodes } }) => makeNetwork({ ...deps, nodes }),
    firewallProgram: () => ufw,
    firewall: ({ nodes: { nodes }, network, publicRoutes, firewallProgram: program }) =>
      makeFirewall({ ...deps, nodes, network, routes: publicRoutes, program }),
    certificates: (all) =>
      makeCertificates({
        ...deps,
        caDirectory: deps.facts.caDirectory,
        served: deps.servedCertificates,
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
      ...renewalKinds({ ...deps, nodes, certificates, sources: [websocket.leaves, routes.leaves] }),
      ...clusters.workKinds,
      ...routes.workKinds,
      staleUpdatesKind(updates),
      ...processes.workKinds,
      ...schedules.workKinds,
      ...deployments.workKinds,
      ...hibernation.workKinds,
    ],
    workChecks: () => makeWorkChecks(deps),
    dns: ({ nodes: { nodes }, network, routeNames: routes }) => makeDns({ ...deps, nodes, network, routes }),
    webServer: ({ nodes: { holders }, certificates, network }) =>
      makeWebServer({
        ...deps,
        holders,
        network,
        certificates,
        sources: [makeSiteSource({ ...deps, certificates, network: served(deps, network) })],
      }),
    tools: ({ nodes: { nodes } }) => makeTools({ ...deps, nodes, needed: { names: bootstrapPackages } }),
    php: ({ nodes: { holders }, network, poolSource: pools, productionSource: production }) =>
      makePhp({ ...deps, holders, network, pools, production }),
    sourceHost: () => makeSourceHost(deps),
    github: () => makeGitHub(deps),
    sourceAccess: ({ servedSource }) =>
      makeSourceAccess({
        ...deps,
        served: servedSource,
        ...(deps.local && { webServerAccount: SAME_ACCOUNT }),
      }),
  }) satisfies Some
