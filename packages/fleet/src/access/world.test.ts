import { systemClock } from '@fleet/kernel'
import { fakeClusterRoutes, type NodesFleet } from '@fleet/testing'
import { type Access, makeAccess } from '#/access/access.ts'
import { makeActivityLocators } from '#/activities/locators.ts'
import { makeClusters, noRouterServices } from '#/clusters/api.ts'
import { makeFirewallLocators } from '#/firewall/locators.ts'
import { makeInstanceLocators } from '#/instances/locators.ts'
import { makeInstanceQueries } from '#/instances/queries.ts'
import { makeLogLocators } from '#/logs/locators.ts'

const noProcesses = { find: async () => undefined }

/** Access over the records of the store, as the gateway composes it. */
export function accessOf({
  store,
  nodes,
  projects,
}: Pick<NodesFleet, 'store' | 'nodes' | 'projects'>): Access {
  const { clusters: _, ...clusters } = makeClusters({
    store,
    clock: systemClock,
    nodes: nodes.nodes,
    routes: fakeClusterRoutes(),
    services: noRouterServices,
  })
  const reads = { queries: makeInstanceQueries(store), projects: projects.projects, nodes: nodes.nodes }
  return makeAccess({
    locators: {
      ...makeActivityLocators(store),
      ...nodes.locators,
      ...clusters.locators,
      ...makeFirewallLocators(store),
      ...projects.locators,
      ...makeInstanceLocators(reads),
      ...makeLogLocators(noProcesses),
    },
    nodes: nodes.nodes,
    projects: projects.projects,
    authenticateAgent: async () => {},
  })
}
