import type { OperationName } from '@fleet/contract'
import { addInstance } from '@fleet/testing'
import { enrolled, instance, nothing, refused, type Scenario, tells, unique } from './scenes.ts'
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

/** Operations on Routes. */
export const REPORTED_ROUTES: Readonly<Partial<Record<OperationName, Scenario>>> = {
  'route:create': async (world) => {
    const body = await proxyBody(world, 'created.internal')
    const create = ['POST', '/routes', { body }] as const
    await tells(world, create, async ({ data }) => [
      ['route.created', await world.read(`/routes/${data.id}`)],
    ])
    await tells(world, create, nothing)
    const other = { ...body, upstream: 'http://127.0.0.1:1' }
    await refused(world, ['POST', '/routes', { body: other }], 'route.retry_conflict')
  },
  'route:update': async (world) => {
    const path = `/routes/${await appRoute(world, (await instance(world)).id)}`
    const change = ['PATCH', path, { body: { publication: 'public' } }] as const
    await tells(world, change, async ({ data }) => [['route.updated', data]])
    await tells(world, change, nothing)
    const domain = ['PATCH', path, { body: { domain: 'new.example' } }] as const
    await refused(world, domain, 'route.reconciliation_required')
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
    await tells(world, set(made.id), async () => [['route.updated', await world.read(`/routes/${id}`)]])
    await tells(world, set(made.id), nothing)
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
    await tells(world, unset, async () => [['route.updated', await world.read(`/routes/${id}`)]])
    await tells(world, unset, nothing)
  },
  'route:destroy': async (world) => {
    const body = await proxyBody(world, 'removed.internal')
    const { data } = await world.perform('POST', '/routes', { body })
    const path = `/routes/${data.id}`
    await tells(world, ['DELETE', path], [['route.deleted', { id: data.id, domain: body.domain }]])
    await refused(world, ['DELETE', path], 'route.not_found')
  },
}
