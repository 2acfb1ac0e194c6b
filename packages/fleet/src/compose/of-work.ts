import type { Domains, Some } from '#/compose/domains.ts'
import { copying, joined } from '#/compose/late.ts'
import { servedNetwork } from '#/compose/local.ts'
import type { ComposeDeps } from '#/compose/deps.ts'
import { makeClusterChecks } from '#/clusters/api.ts'
import { makeDatabases } from '#/databases/api.ts'
import { makeDependencies } from '#/dependencies/api.ts'
import { makeDeployments, makeSelectedReleases } from '#/deployments/api.ts'
import { makeDoctor } from '#/doctor/api.ts'
import { makeEnvironment } from '#/environment/api.ts'
import { HIBERNATION_DEFAULTS, makeHibernation } from '#/hibernation/api.ts'
import { homePaths, makeInstances, makePlacements, makeProductionHomes } from '#/instances/api.ts'
import { makeLogs } from '#/logs/api.ts'
import { nodeChecks } from '#/nodes/api.ts'
import { makeProcesses } from '#/processes/api.ts'
import { makeSourceChanges, makeUpdateChecks } from '#/project-updates/api.ts'
import { makeProjectChecks, makeProjects, makeRemoteGit } from '#/projects/api.ts'
import {
  applicationUrls,
  askRelease,
  makePoolSource,
  makeProductionSource,
  makePublicChecks,
  makeRouteChecks,
  makeRoutes,
  makeRoutingChecks,
  makeServedSource,
  openRelease,
  privatePaths,
} from '#/routes/api.ts'
import { makeSchedules } from '#/schedules/api.ts'

/** The domains that speak of work: Projects, Instances and all that belongs to them. */
export const ofWork = (deps: ComposeDeps) =>
  ({
    placements: () => makePlacements(deps.store),
    productionHomes: () => makeProductionHomes(),
    git: () => makeRemoteGit(deps.gitEnvironment),
    projects: (all) =>
      makeProjects({
        ...deps,
        nodes: all.nodes.nodes,
        git: all.git,
        hosts: all.sourceHost.hosts,
        tokens: all.github.tokens,
        placements: all.placements,
        sources: {
          instancesOf: (...given) => all.sourceChanges.instancesOf(...given),
          holding: (...given) => all.sourceChanges.holding(...given),
          begin: (...given) => all.sourceChanges.begin(...given),
          resume: (...given) => all.sourceChanges.resume(...given),
        },
      }),
    sourceChanges: (all) =>
      makeSourceChanges({
        ...deps,
        nodes: all.nodes.nodes,
        checkouts: all.instances.ofProjects,
        routes: all.routes.forProjects,
        environment: all.environment,
        runtimes: [all.processes.artifact, all.schedules.artifact],
      }),
    instances: (all) =>
      makeInstances({
        ...deps,
        nodes: all.nodes.nodes,
        projects: all.projects.projects,
        routes: all.instanceRoutes,
        definitions: {
          requireInstallable: (...given) => all.instanceDefinitions.requireInstallable(...given),
          copy: (session, id) => all.instanceDefinitions.copy(session, id),
        },
        moves: {
          requireReady: async ({ source, destination }, id) => {
            if (await all.environment.isStored(id))
              await all.environment.requireSynchronizable(source.call, id)
            await all.processes.moves.requireRunnable(destination, id)
          },
          resume: (session, id) => all.processes.moves.resume(session, id),
          withdraw: (session, id) => all.processes.moves.withdraw(session, id),
          carrySleep: (...given) => all.processes.moves.carrySleep(...given),
          schedulesOf: (id) => all.schedules.ofInstance(id),
          relocate: async (db, id, { from, to }) => {
            const moved = await all.databases.moveFiles(db, { from, to })
            await all.environment.rewritePaths(db, id, { from: from.path, to: to.path })
            return moved
          },
          rebuildEnvironment: async (call, id, domain) => {
            if (await all.environment.isStored(id)) await all.environment.synchronizeUnder(call, id, domain)
          },
        },
        environments: { copy: (copy) => all.environment.copy(copy) },
        files: {
          isNamed: async (id, file) =>
            (await all.environment.namesPath(id, file.path)) || all.databases.files.isAttached(id, file),
          isShared: (id, file) => all.databases.files.isShared(id, file),
        },
        homes: all.productionHomes,
        php: all.php.production,
        copies: {
          isCold: (session, id) => all.hibernation.isCold(session, id),
          databaseFiles: (...given) => all.databases.forCopies.databaseFiles(...given),
          complete: (...given) => all.databases.forCopies.complete(...given),
        },
        databases: {
          plan: (...given) => all.databases.forCreation.plan(...given),
          provide: (...given) => all.databases.forCreation.provide(...given),
          isServerSilent: (error) => all.databases.forCreation.isServerSilent(error),
        },
        ownedDatabases: {
          requireUnused: (...given) => all.databases.forRemovals.requireUnused(...given),
          holdUnused: (...given) => all.databases.forRemovals.holdUnused(...given),
          ownedBy: (ids) => all.databases.forRemovals.ownedBy(ids),
          retainedOf: (removed) => all.databases.forRemovals.retainedOf(removed),
        },
        // A run may use what Processes serve, and these what databases hold.
        runtime: joined(() => [
          all.schedules.runtime,
          all.processes.runtime,
          {
            stop: async () => undefined,
            remove: (session, id) => all.php.production.remove(session, id),
            // Its Node removes what no record has when it converges.
            leaveBehind: async () => undefined,
          },
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
        ...deps,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        projects: all.projects.projects,
        views: all.agents.views,
        domains: { ownRoute: (instanceId, db) => all.ownRoutes.ownRoute(instanceId, db) },
        releases: all.releases,
        databases: {
          serverOf: (processId) => all.databases.serverOf(processId),
          portsOn: (...given) => all.databases.portsOn(...given),
        },
        connections: {
          keysOf: (...given) => all.databases.forProcesses.keysOf(...given),
          hold: (...given) => all.databases.forProcesses.hold(...given),
        },
        routes: { routeTo: (processId) => all.routes.routeTo(processId) },
      }),
    schedules: (all) =>
      makeSchedules({
        ...deps,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        projects: all.projects.projects,
        releases: all.releases,
      }),
    instanceDefinitions: (all) => copying(() => [all.processes.definitions, all.schedules.definitions]),
    environment: (all) =>
      makeEnvironment({
        ...deps,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        routes: all.ownRoutes,
        databases: {
          testDatabase: (instanceId, db) => all.databases.testDatabases.testDatabase(instanceId, db),
        },
      }),
    logs: ({
      nodes: { nodes },
      realtime,
      environment,
      instances: { instances },
      processes: { processes },
      agents: { views },
      ownRoutes,
    }) =>
      makeLogs({
        ...deps,
        nodes,
        realtime,
        environment,
        instances,
        processes,
        views,
        publisher: deps.logPublisher,
        domainOf: async (instanceId) => (await ownRoutes.ownRoute(instanceId, deps.store.db))?.domain,
      }),
    databases: ({
      nodes: { nodes },
      instances: { instances },
      environment,
      processes: { servers: containers, dependents },
      ownRoutes: routes,
    }) => makeDatabases({ ...deps, nodes, instances, environment, containers, dependents, routes }),
    dependencies: ({ nodes: { nodes }, instances: { instances }, releases }) =>
      makeDependencies({ ...deps, nodes, instances, releases }),
    routesDeps: (all) => ({
      ...deps,
      nodes: all.nodes.nodes,
      clusters: all.clusters.clusters,
      instances: all.instances.instances,
      network: servedNetwork(deps, all.network),
      certificates: all.certificates,
      webServer: all.webServer,
      names: all.dns.names,
      php: all.php,
      sourceAccess: all.sourceAccess,
      applicationUrls: all.applicationUrls,
      productionFiles: {
        write: async (call, id, domain) => {
          if (!(await all.environment.isStored(id))) return 'kept'
          await all.environment.replaceUnder(call, id, domain)
          return 'written'
        },
      },
      firewall: all.firewall.firewall.onNodes,
      paths: all.privatePaths,
      processes: all.processes.processes,
    }),
    applicationUrls: () => applicationUrls,
    privatePaths: () => privatePaths,
    routes: ({ routesDeps }) => makeRoutes(routesDeps),
    releases: () => makeSelectedReleases(deps.store),
    deployments: (all) =>
      makeDeployments({
        ...deps,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        projects: all.projects.projects,
        environment: all.environment,
        php: all.productionPhp,
        access: {
          open: async (session, { id }, release) => {
            const { sourceAccess } = all
            await openRelease({ ...deps, sourceAccess }, session, { id, release })
          },
        },
        edge: { publishWaiting: (db, clusterId) => all.routes.edge.publishWaiting(db, clusterId) },
      }),
    hibernation: (all) =>
      makeHibernation({
        ...deps,
        nodes: all.nodes.nodes,
        instances: all.instances.instances,
        processes: all.processes.sleeping,
        schedules: all.schedules,
        webServer: all.webServer,
        settings: deps.hibernation ?? HIBERNATION_DEFAULTS,
      }),
    routingChecks: (all) => {
      const checked = {
        ...deps,
        nodes: all.nodes.nodes,
        holders: all.nodes.holders,
        clusters: all.clusters.clusters,
        network: all.network,
        certificates: all.certificates,
        dns: all.dns,
        firewall: all.firewall.firewall,
      }
      return [makeRouteChecks(checked), makeRoutingChecks(checked), makePublicChecks(checked)]
    },
    poolSource: () => makePoolSource(deps),
    productionSource: () => makeProductionSource(deps),
    productionPhp: ({ php }) => ({
      health: (session, { id }, page) =>
        askRelease({ ...deps, php: php.production }, session, { id, ...page }),
      hasService: async ({ profile }) => profile?.phpVersion !== undefined,
      requireRunnable: async (session, { profile, production_user, production_home }, release) =>
        void (await php.production.versionFor(session.as(production_user), {
          checkoutPath: homePaths(production_home).release(release),
          directory: profile?.applicationDirectory ?? '',
          recorded: profile?.phpVersion,
        })),
      refresh: (session, { id }) => php.production.refresh(session, id),
    }),
    servedSource: () => makeServedSource(deps),
    families: (all) => familiesOf(deps, all),
    doctor: ({ nodes: { nodes }, families, instances }) =>
      makeDoctor({ ...deps, nodes, families, instances }),
  }) satisfies Some

/** Each domain adds its part of a family; a family without any has nothing to check yet. */
const familiesOf = (deps: Pick<ComposeDeps, 'store'>, all: Domains) => [
  nodeChecks,
  all.workChecks,
  all.agents.checks,
  all.roles.checks,
  makeClusterChecks(all.clusters.clusters),
  all.network.checks,
  all.dns.checks,
  all.webServer.checks,
  ...all.php.checks,
  ...all.certificates.checks,
  all.websocket.checks,
  ...all.firewall.checks,
  ...all.instances.checks,
  all.deployments.checks,
  all.environment.checks,
  makeUpdateChecks(deps),
  makeProjectChecks({ ...deps, git: all.git, hosts: all.sourceHost.hosts, tokens: all.github.tokens }),
  all.dependencies.checks,
  all.schedules.checks,
  all.tools.checks,
  ...all.processes.checks,
  ...all.routes.checks,
  ...all.routingChecks,
  all.databases.checks,
  all.databases.attachmentChecks,
  all.databases.residueChecks,
]
