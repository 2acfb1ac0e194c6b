import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCluster, fakeCall } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { appRoutes, findByDomain, updateRoute } from '#/routes/queries.ts'
import { clustersOf, office } from '#/routes/routers/office.test.ts'
import { addApp, createFor, createInstance, startWorld, type World } from '#/routes/world.test.ts'

const routesOf = async ({ store }: World) =>
  (await appRoutes(store.db)).map(({ domain, status, provenance, generation_basis_node_id, cluster_id }) => [
    domain,
    status,
    provenance,
    generation_basis_node_id,
    cluster_id,
  ])

const sitesOn = (world: World, nodeId: number): readonly string[] =>
  [...(world.machines.get(nodeId)?.sites.keys() ?? [])].toSorted()

const clusterOf = async ({ store, node }: World) =>
  (await store.db.selectFrom('nodes').select('cluster_id').where('id', '=', node.id).executeTakeFirst())
    ?.cluster_id

test('a Node enters and leaves an active Cluster with a top-level domain: generated domains and scope follow before it is a member, explicit ones keep their domain [CLU-020, CLU-021, CLU-023, RTX-041]', async () => {
  await using world = await startWorld()
  const { id, edge, route } = await office(world, 'lan')
  const { update, handlers } = clustersOf(world)
  const input = { cluster: id, node: world.node.id }
  await handlers['cluster:node:detach']({ call: fakeCall(), input })
  await update({ cluster: id, state: 'active' })
  const [{ id: instance } = { id: 0 }] = await world.store.db.selectFrom('instances').select('id').execute()
  await createFor(world, instance, { domain: 'admin.example', web_root: 'apps/admin/public' })
  const { names } = world.deps
  const members: unknown[] = []
  const watched: World = Object.assign(world, {})
  const publish = names.publish.bind(names)
  Object.assign(names, {
    publish: async (call: Parameters<typeof publish>[0]) => {
      members.push(await clusterOf(watched))
      await publish(call)
    },
  })
  const call = fakeCall()
  await handlers['cluster:node:attach']({ call, input })
  assert.deepEqual(members, [null, null], 'both names, then the new one alone')
  assert.deepEqual(await routesOf(world), [
    ['admin.example', 'active', 'explicit', null, id],
    ['shop.lan', 'active', 'generated', world.node.id, id],
  ])
  assert.equal(await findByDomain(world.store.db, 'shop.test'), undefined)
  assert.deepEqual(sitesOn(world, edge.id), ['admin.example', 'shop.lan'])
  assert.equal(await clusterOf(world), id)
  const next = (await findByDomain(world.store.db, 'shop.lan'))?.id
  assert.notEqual(next, route)
  assert.deepEqual(
    new Set(call.events.map(({ type }) => type)),
    new Set(['route.deleted', 'route.updated', 'node.updated']),
  )
  await handlers['cluster:node:detach']({ call: fakeCall(), input })
  assert.deepEqual(await routesOf(world), [
    ['admin.example', 'active', 'explicit', null, null],
    ['shop.test', 'active', 'generated', world.node.id, null],
  ])
  assert.deepEqual(world.slept, [31_000, 31_000])
})

test('an active Cluster gets, changes and loses its top-level domain: all of its generated domains follow at once and wait once [CLU-015, CLU-024, RTX-039, RTX-043]', async () => {
  await using world = await startWorld()
  const { id } = await office(world)
  const { update } = clustersOf(world)
  const [{ project_id } = { project_id: 0 }] = await world.store.db
    .selectFrom('instances')
    .select('project_id')
    .execute()
  await createInstance(world, { project_id, name: 'b', branch: 'main' })
  await update({ cluster: id, state: 'active' })
  for (const [tld, top] of [
    ['lan', 'lan'],
    ['office', 'office'],
    [null, 'test'],
  ] as const) {
    const waits = world.slept.length
    await update({ cluster: id, tld })
    assert.deepEqual(
      (await routesOf(world)).map(([domain, status, , , cluster]) => [domain, status, cluster]),
      [
        [`shop.${top}`, 'active', id],
        [`b.shop.${top}`, 'active', id],
      ],
    )
    assert.deepEqual(world.slept.slice(waits), [31_000])
    assert.deepEqual([...world.names].filter((name) => name.includes('shop')).toSorted(), [
      `b.shop.${top}`,
      `shop.${top}`,
    ])
    const waited = world.slept.length
    await update({ cluster: id, tld })
    assert.equal(world.slept.length, waited, 'what is stored changes nothing')
  }
})

test('every next domain is checked before the first Route moves: taken, reserved or not valid [CLU-015, RTE-073, RTE-074, RTX-040]', async () => {
  await using world = await startWorld()
  const { id } = await office(world)
  const { update } = clustersOf(world)
  const { db } = world.store
  const [{ id: instance, project_id } = { id: 0, project_id: 0 }] = await db
    .selectFrom('instances')
    .select(['id', 'project_id'])
    .execute()
  await update({ cluster: id, state: 'active' })
  await createFor(world, instance, { domain: 'shop.lan', web_root: 'apps/admin/public' })
  await createInstance(world, { project_id, name: 'b', branch: 'main' })
  const before = await appRoutes(db)
  world.done.splice(0)
  const own = (await findByDomain(db, 'shop.test'))?.id
  await assert.rejects(update({ cluster: id, tld: 'lan' }), {
    code: 'route.domain_conflict',
    details: { route: { id: own, domain: 'shop.test' } },
  })
  await db.updateTable('projects').set({ slug: 'gateway' }).execute()
  await assert.rejects(update({ cluster: id, tld: 'fleet' }), { code: 'route.domain_conflict' })
  await db
    .updateTable('projects')
    .set({ slug: 'x'.repeat(64) })
    .execute()
  await assert.rejects(update({ cluster: id, tld: 'lan' }), { code: 'route.domain_invalid' })
  assert.deepEqual([world.done, world.slept], [[], []])
  assert.deepEqual(await appRoutes(db), before)
})

test('what another request replaces has to end first [CLU-044, RTX-035]', async () => {
  await using world = await startWorld()
  const { id, route } = await office(world, 'lan')
  const { update } = clustersOf(world)
  const other = await createFor(
    world,
    (await world.store.db.selectFrom('instances').select('id').executeTakeFirstOrThrow()).id,
    {
      domain: 'other.example',
      web_root: 'apps/admin/public',
    },
  )
  await updateRoute(world.store.db, route, { replaced_by_route_id: other.data.id })
  await assert.rejects(update({ cluster: id, state: 'active' }), {
    code: 'route.reconciliation_required',
    details: { route: { id: route, domain: 'shop.test' } },
  })
})

test('a Router that fails after the domains have changed gives them back, and the identical request finishes [CLU-016]', async () => {
  await using world = await startWorld()
  const { id, route } = await office(world, 'lan')
  const { update } = clustersOf(world)
  const { certificates } = world.deps
  const publishLeaf = certificates.publishLeaf.bind(certificates)
  let isBroken = true
  Object.assign(certificates, {
    publishLeaf: async (...given: Parameters<typeof publishLeaf>) => {
      if (isBroken && given[1].scope.endsWith('-router')) throw new Error('the Router is broken')
      return publishLeaf(...given)
    },
  })
  await assert.rejects(update({ cluster: id, state: 'active' }), { message: 'the Router is broken' })
  assert.deepEqual(await routesOf(world), [['shop.test', 'active', 'generated', world.node.id, null]])
  assert.notEqual((await findByDomain(world.store.db, 'shop.test'))?.id, route)
  isBroken = false
  await update({ cluster: id, state: 'active' })
  assert.deepEqual(await routesOf(world), [['shop.lan', 'active', 'generated', world.node.id, id]])
})

test('a process that dies anywhere in a change of a top-level domain leaves what the identical request finishes, and never a name without a site [RTX-026, RTX-028]', async () => {
  await using first = await startWorld()
  const { id, edge } = await office(first, 't0')
  await clustersOf(first).update({ cluster: id, state: 'active' })
  const counted = await startWorld({ after: first })
  await clustersOf(counted).update({ cluster: id, tld: 't1' })
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const said = JSON.stringify(moment)
    const tld = `t${index + 2}`
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(clustersOf(dying).update({ cluster: id, tld }), Died, said)
    for (const name of first.names)
      assert.ok(sitesOn(first, edge.id).includes(name) || name === 'mail.internal', said)
    await clustersOf(first).update({ cluster: id, tld })
    assert.deepEqual(await routesOf(first), [[`shop.${tld}`, 'active', 'generated', first.node.id, id]], said)
    assert.deepEqual(sitesOn(first, edge.id), [`shop.${tld}`], said)
  }
})

test('another top-level domain of a Node replaces the generated Routes based on it; where an active Cluster has one, none changes [RTX-039]', async () => {
  await using world = await startWorld()
  const project = await addApp(world)
  const made = await createInstance(world, { project_id: project.id, branch: 'main' })
  await createFor(world, made.data.id, { domain: 'admin.example', web_root: 'apps/admin/public' })
  const { forNodes } = world.routes
  const { node } = world
  await assert.rejects(forNodes.requireTld(node, { ...node, tld: null }), { code: 'route.tld_required' })
  const renamed = { ...node, tld: 'box' }
  await forNodes.requireTld(node, renamed)
  assert.deepEqual(world.slept, [])
  const stores = (tld: string) =>
    world.store.db.updateTable('nodes').set({ tld }).where('id', '=', node.id).execute()
  assert.equal(await forNodes.isBehind(node), false)
  await stores('box')
  assert.equal(await forNodes.isBehind(renamed), true, 'the request that stored it may have died here')
  await forNodes.followTld(fakeCall(), { ...renamed, tld: null }, renamed)
  assert.equal(await forNodes.isBehind(renamed), false)
  const domains = async () => (await appRoutes(world.store.db)).map(({ domain }) => domain)
  assert.deepEqual([await domains(), world.slept], [['admin.example', 'shop.box'], [31_000]])
  await forNodes.followTld(fakeCall(), node, renamed)
  assert.deepEqual(world.slept, [31_000], 'what has followed stays')
  await createFor(world, made.data.id, { domain: 'shop.test', web_root: 'apps/b/public' })
  await assert.rejects(forNodes.requireTld(renamed, node), { code: 'route.domain_conflict' })
  const cluster = await addCluster(world.store, { state: 'active', tld: 'lan' }, [node])
  const member = { ...node, cluster_id: cluster.id }
  assert.equal(await forNodes.isBehind({ ...member, tld: 'other' }), false, 'it is the one of the Cluster')
  await forNodes.followTld(fakeCall(), { ...member, tld: 'box' }, { ...member, tld: 'other' })
  assert.deepEqual(await domains(), ['admin.example', 'shop.box', 'shop.test'])
})
