import { systemClock, systemIds } from '@fleet/kernel'
import { fakeClusterRoutes, type NodesFleet } from '@fleet/testing'
import { type Access, makeAccess } from '#/access/access.ts'
import { makeActivityLocators } from '#/activities/api.ts'
import { makeClusters, noRouterServices } from '#/clusters/api.ts'
import { makeFirewallLocators } from '#/firewall/api.ts'
import { makeInstances } from '#/instances/api.ts'
import { makeLogLocators } from '#/logs/api.ts'
import { makeRouteLocators } from '#/routes/api.ts'

const noProcesses = { find: async () => undefined }

/** Access over the records of the store, as the gateway composes it. */
export function accessOf({
  store,
  nodes,
  projects,
}: Pick<NodesFleet, 'store' | 'nodes' | 'projects'>): Access {
  const clusters = makeClusters({
    store,
    clock: systemClock,
    nodes: nodes.nodes,
    routes: fakeClusterRoutes(),
    services: noRouterServices,
  })
  const base = { store, clock: systemClock, ids: systemIds, nodes: nodes.nodes }
  const instances = makeInstances({ ...base, projects: projects.projects })
  return makeAccess({
    locators: {
      ...makeActivityLocators(store),
      ...nodes.locators,
      ...clusters.locators,
      ...makeFirewallLocators(store),
      ...projects.locators,
      ...instances.locators,
      ...makeLogLocators(noProcesses),
      ...makeRouteLocators(store),
    },
    nodes: nodes.nodes,
    projects: projects.projects,
    clusters: clusters.clusters,
    instances: instances.instances,
    authenticateAgent: async () => {},
  })
}
