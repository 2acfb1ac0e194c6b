import { holdingAll, lockOf } from '#/locks/api.ts'
import { artifactParts, type NodeArtifact, type NodeSession } from '#/nodes/api.ts'
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
    const parts = artifactParts()
    const owners = await ownersOn(deps, session.node.id)
    for (const [instanceId, own] of Map.groupBy(owners, ([, { instance }]) => instance.id))
      await parts.attempt(() => writeOf(deps, session, instanceId, own))
    return parts.skipped() ?? 'applied'
  },
})

/**
 * As the records are once whoever gives the Instance another domain is kept out: the one who does so meanwhile has written the later URL.
 * Roles of the Node are held, which come later, so it is not waited for (decision 0385).
 */
const writeOf = (
  deps: Deps,
  session: NodeSession,
  instanceId: number,
  seen: readonly Owner[],
): Promise<void> => {
  const held = new Set(seen.map(([, { route }]) => route.id))
  const locks = [
    lockOf('instance', instanceId, { busy: 'env.operation_busy', waitSeconds: 0 }),
    ...[...held].map((id) => lockOf('route', id, { waitSeconds: 0 })),
  ]
  return holdingAll(deps.store, session.call, locks, async () => {
    const owners = await ownersOn(deps, session.node.id)
    for (const [directory, { route, instance }] of owners)
      if (instance.id === instanceId && held.has(route.id))
        await deps.applicationUrls.write(session, {
          checkoutPath: instance.checkout_path,
          directory,
          url: `https://${route.domain}`,
        })
  })
}

type Owner = readonly [directory: string, served: ServedRoute]

/** The Route that gives each directory its URL, of Instances that are in use. */
async function ownersOn({ store }: Deps, nodeId: number): Promise<readonly Owner[]> {
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
