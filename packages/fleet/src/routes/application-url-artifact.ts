import { CodedError } from '@fleet/kernel'
import { type NodeArtifact, skippedBy } from '#/nodes/api.ts'
import { urlOwners } from '#/routes/application-url.ts'
import { checkedInstances } from '#/routes/checks/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { ServedRoute } from '#/routes/served.ts'

type Deps = Pick<RoutesDeps, 'store' | 'applicationUrls'>

/** The URLs of the development applications of a Node, written again by a converge (RTE-144). */
export const makeApplicationUrlArtifact = (deps: Deps): NodeArtifact => ({
  name: 'application-urls',
  digest: async (node) => {
    const owners = await ownersOn(deps, node.id)
    const lines = owners.map(
      ([directory, { route, instance }]) => `${instance.id} ${directory} ${route.domain}`,
    )
    return lines.length === 0 ? undefined : lines.join('\n')
  },
  converge: async (session) => {
    try {
      for (const [directory, { route, instance }] of await ownersOn(deps, session.node.id))
        await deps.applicationUrls.write(session, {
          checkoutPath: instance.checkout_path,
          directory,
          url: `https://${route.domain}`,
        })
      return 'applied'
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'route.application_url_failed') throw error
      return skippedBy(error)
    }
  },
})

/** The Route that gives each directory its URL, of Instances that are in use. */
async function ownersOn(
  { store }: Deps,
  nodeId: number,
): Promise<ReadonlyArray<readonly [string, ServedRoute]>> {
  const instances = await checkedInstances(store.db, nodeId)
  const inUse = new Set(
    instances.filter(({ environment }) => environment === 'development').map(({ id }) => id),
  )
  const served = (await servedRows(store.db, { nodeId })).filter(
    ({ route, instance: { id } }) => inUse.has(id) && route.status === 'active' && route.has_source === 1,
  )
  return [...Map.groupBy(served, ({ instance }) => instance.id).values()].flatMap((own) => [
    ...urlOwners(own),
  ])
}
