import assert from 'node:assert/strict'
import type { OperationName } from '@fleet/contract'
import type { NewRow } from '@fleet/store'
import { addCluster, addInstance } from '@fleet/testing'
import {
  enrolled,
  instance,
  nothing,
  plainNode,
  refused,
  type Scenario,
  publishes,
  unique,
} from './scenes.ts'
import type { FeedWorld } from './world.ts'

async function proxyBody(world: FeedWorld, domain: string) {
  const { id } = await enrolled(world)
  return { domain, node_id: id, upstream: 'http://127.0.0.1:8025' }
}

/** A Route that leads to an Instance. */
async function appRoute({ fleet }: FeedWorld, instanceId: number): Promise<number> {
  const values = {
    kind: 'app',
    node_id: fleet.nodes.granted,
    domain: `${unique('shop')}.example`,
    provenance: 'generated',
    publication: 'private',
    status: 'active',
    created_at: '2026-03-01T00:00:00.000Z',
  } as const
  const { db } = fleet.store
  const { id } = await db.insertInto('routes').values(values).returning('id').executeTakeFirstOrThrow()
  await db
    .insertInto('route_targets')
    .values({ route_id: id, instance_id: instanceId, position: 1 })
    .execute()
  return id
}

/** Every Route of a set publishes itself, once it has ended, and nothing when it has ended already (EV-050). */
async function setOfTargets(world: FeedWorld): Promise<void> {
  const { store } = world.fleet
  const nodes: number[] = []
  for (const [at, role] of (['router', 'app-prod', 'app-prod'] as const).entries()) {
    const id = await plainNode(world, [role])
    // One of the machines that answer by script.
    await store.db
      .updateTable('nodes')
      .set({ wireguard_ip: `10.44.77.${at + 1}` })
      .where('id', '=', id)
      .execute()
    nodes.push(id)
  }
  const cluster = await addCluster(
    store,
    { state: 'active' },
    nodes.map((id) => ({ id })),
  )
  const place = { node_id: null, cluster_id: cluster.id, provenance: 'explicit', has_source: 1 } as const
  const served = { ...place, has_site: 1, has_name: 1, project_id: await world.project() } as const
  const [[one, taken], [stays, route]] = [
    await servedBy(world, nodes[1] ?? 0, served),
    await servedBy(world, nodes[2] ?? 0, served),
  ]
  const set = (targets: readonly number[], dispositions: readonly unknown[] = []) =>
    ['PUT', `/routes/${route}/target`, { body: { targets, dispositions } }] as const
  await refused(world, set([one]), 'route.target_disposition_required')
  const bothRoutes = async (): Promise<readonly (readonly ['route.updated', Record<string, unknown>])[]> => [
    ['route.updated', await world.read(`/routes/${taken}`)],
    ['route.updated', await world.read(`/routes/${route}`)],
  ]
  const { data } = await publishes(world, set([one, stays]), bothRoutes)
  assert.deepEqual(
    data.targets.map(({ instance_id, position }: Record<string, unknown>) => [instance_id, position]),
    [
      [one, 1],
      [stays, 2],
    ],
  )
  await publishes(world, set([one, stays]), nothing)
  await publishes(world, set([stays], [{ instance_id: one, route_id: taken }]), bothRoutes)
}

/** A production Instance with the Route that leads to it. */
async function servedBy(
  world: FeedWorld,
  node_id: number,
  route: Partial<NewRow<'routes'>>,
): Promise<readonly [instance: number, route: number]> {
  const { store } = world.fleet
  const { id } = await addInstance(store, {
    project_id: await world.project(),
    node_id,
    name: unique('live'),
    environment: 'production',
    production_user: 'live',
    production_home: '/home/live',
    root: 'public',
  })
  const at = await appRoute(world, id)
  await store.db.updateTable('routes').set(route).where('id', '=', at).execute()
  return [id, at]
}

/** Operations on Routes. */
export const REPORTED_ROUTES: Readonly<Partial<Record<OperationName, Scenario>>> = {
  'route:create': async (world) => {
    const body = await proxyBody(world, 'created.internal')
    const create = ['POST', '/routes', { body }] as const
    await publishes(world, create, async ({ data }) => [
      ['route.created', await world.read(`/routes/${data.id}`)],
    ])
    await publishes(world, create, nothing)
    const other = { ...body, upstream: 'http://127.0.0.1:1' }
    await refused(world, ['POST', '/routes', { body: other }], 'route.retry_conflict')
  },
  'route:update': async (world) => {
    const path = `/routes/${await appRoute(world, (await instance(world)).id)}`
    const change = ['PATCH', path, { body: { publication: 'public' } }] as const
    await publishes(world, change, async ({ data }) => [['route.updated', data]])
    await publishes(world, change, nothing)
    const domain = ['PATCH', path, { body: { domain: 'new.example' } }] as const
    await refused(world, domain, 'route.reconciliation_required')
    const made = await instance(world)
    const root = `/routes/${await appRoute(world, made.id)}`
    const { db } = world.fleet.store
    await db
      .updateTable('instances')
      .set({ status: 'active', root: 'public' })
      .where('id', '=', made.id)
      .execute()
    const rooted = ['PATCH', root, { body: { web_root: 'apps/blog/public' } }] as const
    await publishes(world, rooted, async ({ data }) => [['route.updated', data]])
    await publishes(world, rooted, nothing)
  },
  'route:target:set': async (world) => {
    const made = await instance(world)
    const id = await appRoute(world, made.id)
    const { db } = world.fleet.store
    await db
      .updateTable('routes')
      .set({ status: 'pending', provenance: 'explicit', project_id: await world.project() })
      .where('id', '=', id)
      .execute()
    await db.deleteFrom('route_targets').where('route_id', '=', id).execute()
    await db.updateTable('instances').set({ root: 'public' }).where('id', '=', made.id).execute()
    const set = (instance_id: number) => ['PUT', `/routes/${id}/target`, { body: { instance_id } }] as const
    await refused(world, set(999_999), 'route.target_inactive')
    await publishes(world, set(made.id), async () => [['route.updated', await world.read(`/routes/${id}`)]])
    await publishes(world, set(made.id), nothing)
    await setOfTargets(world)
  },
  'route:target:unset': async (world) => {
    const { id: instanceId } = await addInstance(world.fleet.store, {
      project_id: await world.project(),
      node_id: world.fleet.nodes.granted,
      status: 'active',
    })
    const id = await appRoute(world, instanceId)
    const unset = ['DELETE', `/routes/${id}/target`] as const
    await refused(world, unset, 'route.target_conflict')
    const { db } = world.fleet.store
    await db
      .updateTable('instances')
      .set({ status: 'source_resolved' })
      .where('id', '=', instanceId)
      .execute()
    await db.updateTable('routes').set({ status: 'failed' }).where('id', '=', id).execute()
    await publishes(world, unset, async () => [['route.updated', await world.read(`/routes/${id}`)]])
    await publishes(world, unset, nothing)
  },
  'route:destroy': async (world) => {
    const body = await proxyBody(world, 'removed.internal')
    const { data } = await world.perform('POST', '/routes', { body })
    const path = `/routes/${data.id}`
    await publishes(world, ['DELETE', path], [['route.deleted', { id: data.id, domain: body.domain }]])
    await refused(world, ['DELETE', path], 'route.not_found')
  },
}
