import type { Call } from '#/call.ts'
import { effectiveRoot } from '#/instances/api.ts'
import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import type { PoolChange } from '#/routes/pools/change.ts'
import type { SharedRoute } from '#/routes/pools/queries.ts'
import { vacated } from '#/routes/pools/steps/after-commit.ts'
import { leavePool, storeLeavesOf } from '#/routes/pools/steps/leave.ts'
import { closeRelease } from '#/routes/production/access.ts'
import { liveScope, stagingScope } from '#/routes/served.ts'

interface Leaving {
  readonly instanceId: number
  readonly shared: SharedRoute
  readonly silent?: NodeRecord[] | undefined
}

/** Takes an Instance that is removed out of a pool; its Node answers. */
export async function leaveShared(deps: RoutesDeps, session: NodeSession, leaving: Leaving): Promise<void> {
  await leavePool(changeOf(deps, session.call, leaving))
  const { phase } = leaving.shared
  if (phase !== null && phase !== 'leaving')
    await deps.certificates.withdrawLeaf(session, { scope: stagingScope(leaving.instanceId) })
}

/**
 * Takes from the Node what it may still have of a production Instance that no Route leads to any more: site, access and
 * certificates. Nothing where none ever could. May be repeated.
 */
export async function clearLeft(deps: RoutesDeps, session: NodeSession, instanceId: number): Promise<void> {
  const instance = await deps.instances.find(instanceId)
  const isServed = instance?.environment === 'production' && effectiveRoot(instance) !== '.'
  if (!instance || !isServed) return
  await deps.webServer.build(session, 'app-dev')
  await closeRelease(deps, session, instance)
  for (const scope of [liveScope(instance.id), stagingScope(instance.id)])
    await deps.certificates.withdrawLeaf(session, { scope })
}

/** The same while its Node does not answer, and for Routers that do: what stays is recorded with the removal of the Instance. */
export async function dropShared(deps: RoutesDeps, call: Call, leaving: Leaving): Promise<void> {
  const change = changeOf(deps, call, { ...leaving, silent: [] })
  await storeLeavesOf(change)
  await vacated.run(change)
}

/** Only those that stay in the pool have a place in it: whoever is on the way in keeps its phase. */
const changeOf = (
  deps: RoutesDeps,
  call: Call,
  { instanceId, shared: { routeId, others }, silent }: Leaving,
): PoolChange => ({
  deps,
  call,
  routeId,
  pools: [{ route_id: routeId, before: [...others, instanceId], after: others }],
  dispositions: [{ instance_id: instanceId, route_id: null }],
  ...(silent ? { silent } : {}),
  isPublic: true,
  isResumed: false,
  isCommitted: true,
})
