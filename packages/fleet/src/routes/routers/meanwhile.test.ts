import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import { recordSet } from '#/routes/pools/queries.ts'
import { appRoutes, findByDomain, updateRoute } from '#/routes/queries.ts'
import { clustersOf, office } from '#/routes/routers/office.test.ts'
import { addApp, createInstance, startWorld, type World } from '#/routes/world.test.ts'

/** Runs the work once, when the names of the next change of a Cluster are published and it is not stored. */
function meanwhile(world: World, work: () => Promise<unknown>): void {
  const { forClusters } = world.routes
  const { publish } = forClusters
  let isDone = false
  Object.assign(forClusters, {
    publish: async (...given: Parameters<typeof publish>) => {
      await publish(...given)
      if (isDone) return
      isDone = true
      await work()
    },
  })
}

const standing = async ({ store }: World) =>
  (await appRoutes(store.db)).map(({ domain, status, cluster_id }) => [domain, status, cluster_id])

const tldOf = async ({ store }: World, id: number) =>
  (await store.db.selectFrom('clusters').select('tld').where('id', '=', id).executeTakeFirst())?.tld

test('an Instance that is created while the top-level domain of its Cluster changes refuses the change, and every Route is below the one that stays [CLU-015, RTX-039]', async () => {
  await using world = await startWorld()
  const { id } = await office(world, 'lan')
  const { update } = clustersOf(world)
  await update({ cluster: id, state: 'active' })
  const blog = await addApp(world, { slug: 'blog' })
  meanwhile(world, () => createInstance(world, { project_id: blog.id, branch: 'main' }))
  const refused = await update({ cluster: id, tld: 'office' }).catch((error: unknown) => error)
  assert.ok(refused instanceof CodedError)
  const created = await findByDomain(world.store.db, 'blog.lan')
  assert.equal(refused.code, 'route.reconciliation_required')
  assert.deepEqual(refused.details, { route: { id: created?.id, domain: 'blog.lan' } })
  assert.deepEqual(
    [await standing(world), await tldOf(world, id)],
    [
      [
        ['blog.lan', 'active', id],
        ['shop.lan', 'active', id],
      ],
      'lan',
    ],
  )
  await update({ cluster: id, tld: 'office' })
  assert.deepEqual(await standing(world), [
    ['blog.office', 'active', id],
    ['shop.office', 'active', id],
  ])
})

test('what would have refused a change of a Cluster refuses it also when it comes while that works [CLU-044, RTX-040]', async () => {
  await using world = await startWorld()
  const { id, route } = await office(world)
  const { update } = clustersOf(world)
  const { store } = world
  const pool = { route_id: route, before: [], after: [] }
  const created_at = '2026-01-02T03:04:05.000Z'
  for (const [what, work] of [
    ['it is opened to the public', () => updateRoute(store.db, route, { publication: 'public' })],
    ['it is being withdrawn', () => updateRoute(store.db, route, { status: 'pending' })],
    [
      'another set of targets has begun',
      () =>
        recordSet(store.db, {
          route_id: route,
          target_set: { targets: [], dispositions: [], pools: [pool] },
          created_at,
        }),
    ],
  ] as const) {
    meanwhile(world, work)
    await assert.rejects(
      update({ cluster: id, state: 'active' }),
      { code: 'route.reconciliation_required', details: { route: { id: route, domain: 'shop.test' } } },
      what,
    )
    assert.equal((await findByDomain(store.db, 'shop.test'))?.cluster_id, null, what)
    await updateRoute(store.db, route, { publication: 'private', status: 'active' })
  }
})

test('a Node whose own top-level domain becomes another one while it leaves its Cluster stays a member [CLU-021, RTX-039]', async () => {
  await using world = await startWorld()
  const { id } = await office(world, 'lan')
  const { update, handlers } = clustersOf(world)
  await update({ cluster: id, state: 'active' })
  const { db } = world.store
  meanwhile(world, () =>
    db.updateTable('nodes').set({ tld: 'box' }).where('id', '=', world.node.id).execute(),
  )
  const input = { cluster: id, node: world.node.id }
  await assert.rejects(handlers['cluster:node:detach']({ call: fakeCall(), input }), {
    code: 'route.busy',
    details: { node_id: world.node.id },
  })
  assert.deepEqual(await standing(world), [['shop.lan', 'active', id]])
  await handlers['cluster:node:detach']({ call: fakeCall(), input })
  assert.deepEqual(await standing(world), [['shop.box', 'active', null]])
})

test('a Route that does not serve any more, when its lock is had, gets no other domain [CLU-044, RTX-040]', async () => {
  await using world = await startWorld()
  const { route } = await office(world)
  const { forClusters } = world.routes
  const replace = () => forClusters.replace(fakeCall(), [{ routeId: route, domain: 'shop.lan' }])
  for (const status of ['pending', 'activating', 'retiring', 'failed'] as const) {
    await updateRoute(world.store.db, route, { status })
    await assert.rejects(replace(), {
      code: 'route.reconciliation_required',
      details: { route: { id: route } },
    })
  }
  assert.deepEqual(await standing(world), [['shop.test', 'failed', null]])
  await updateRoute(world.store.db, route, { status: 'active' })
  await replace()
  assert.deepEqual(await standing(world), [['shop.lan', 'active', null]])
})
