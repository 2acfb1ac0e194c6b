import {
  makeAccess,
  makeActivities,
  makeClusters,
  makeEnvironment,
  makeGatewayFacts,
  makeInstances,
  makeNodes,
  makePlacements,
  makeProjects,
  makeRemoteGit,
  noRouterServices,
} from '@fleet/fleet'
import type {
  Access,
  ClusterRoutes,
  Deps,
  Handlers,
  Journal,
  NodeRegistry,
  SshKeyParts,
  StatusParts,
  TrustParts,
} from '@fleet/fleet'

export interface ComposeParts extends Deps {
  readonly facts: StatusParts & TrustParts & SshKeyParts
  /** Added to the environment of `git ls-remote` on this machine. */
  readonly gitEnvironment: Readonly<Record<string, string>>
  readonly gatewayId: string
}

/** Every service of one gateway. */
export interface Services {
  readonly handlers: Handlers
  readonly access: Access
  readonly journal: Journal
  readonly registry: NodeRegistry
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
  const nodes = makeNodes({ ...parts, checkouts: placements })
  const clusters = makeClusters({
    ...parts,
    nodes: nodes.nodes,
    routes: noClusterRoutes,
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
  return {
    handlers: {
      ...makeGatewayFacts(parts.facts).handlers,
      ...activities.handlers,
      ...nodes.handlers,
      ...clusters.handlers,
      ...projects.handlers,
      ...instances.handlers,
      ...environment.handlers,
    },
    access: makeAccess({
      ...parts,
      nodes: nodes.nodes,
      clusters: clusters.clusters,
      projects: projects.projects,
      instances: instances.instances,
    }),
    journal: activities.journal,
    registry: nodes.registry,
  }
}

// No Route exists until the domain of Routes does, so no Cluster owns one and no change moves one.
const noClusterRoutes: ClusterRoutes = {
  countOwned: () => Promise.resolve(0),
  concerned: () => Promise.resolve([]),
  publish: () => Promise.resolve(),
}
