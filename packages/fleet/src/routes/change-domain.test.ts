import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InputOf } from '@fleet/contract'
import { addNode, fakeCall } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { appRoutes } from '#/routes/queries.ts'
import { addApp, createInstance, startWorld, type World } from '#/routes/world.test.ts'

const rename = (
  { instances }: World,
  instance: number,
  given: Omit<InputOf<'instance:rename'>, 'instance'>,
  call = fakeCall(),
) => instances.handlers['instance:rename']({ call, input: { instance, ...given } })

async function shop(world: World) {
  const project = await addApp(world)
  const { data } = await createInstance(world, { project_id: project.id })
  world.done.length = 0
  return {
    instance: data.id,
    route: data.route?.id ?? 0,
    branch: data.selected_branch,
    projectId: project.id,
  }
}

const routesOf = async ({ store }: World) =>
  (await appRoutes(store.db)).map(({ domain, status, provenance, generation_basis_node_id }) => [
    domain,
    status,
    provenance,
    generation_basis_node_id,
  ])

test('the domain of an Instance changes through a replacement, and a generated Route keeps its provenance and its basis [INS-085]', async () => {
  await using world = await startWorld()
  const { instance, route } = await shop(world)
  const call = fakeCall()
  const { data } = await rename(world, instance, { domain: 'Store.Test.' }, call)
  assert.notEqual(data.route?.id, route)
  assert.deepEqual(await routesOf(world), [['store.test', 'active', 'generated', world.node.id]])
  assert.deepEqual(
    [data.route?.domain, world.slept, [...world.names]],
    ['store.test', [31_000], ['store.test']],
  )
  assert.deepEqual(
    call.events.map(({ type }) => type),
    ['route.deleted', 'route.updated', 'instance.updated'],
  )
  const again = fakeCall()
  assert.deepEqual((await rename(world, instance, { domain: 'store.test' }, again)).data, data)
  assert.deepEqual([again.events, world.slept], [[], [31_000]])
})

test('the domain converges first: while it fails the branch stays, and the identical request records both [INS-086]', async () => {
  await using world = await startWorld()
  const { instance } = await shop(world)
  world.checkouts.head = 'refs/heads/topic'
  const branchOf = async () =>
    (await world.store.db.selectFrom('instances').select('selected_branch').executeTakeFirstOrThrow())
      .selected_branch
  const before = await branchOf()
  world.broken.set('leaf', 'certificate.publication_failed')
  const wanted = { branch: 'topic', domain: 'store.test' }
  await assert.rejects(rename(world, instance, wanted), { code: 'certificate.publication_failed' })
  assert.equal(await branchOf(), before)
  world.broken.clear()
  await assert.rejects(rename(world, instance, { ...wanted, branch: 'other' }), {
    code: 'instance.branch_not_checked_out',
  })
  assert.deepEqual(
    (await routesOf(world)).map(([domain]) => domain),
    ['shop.test'],
    'a branch that is not checked out changes no domain',
  )
  const { data } = await rename(world, instance, wanted)
  assert.deepEqual([data.selected_branch, data.route?.domain], ['topic', 'store.test'])
})

test('each refusal of another domain leaves the Route as it is [INS-087, RTE-073, RTX-035]', async () => {
  await using world = await startWorld()
  const { instance, route, projectId } = await shop(world)
  const other = await createInstance(world, { project_id: projectId, name: 'b', branch: 'main' })
  const before = await routesOf(world)
  await addNode(world.store, { name: 'db-1' })
  for (const [given, code] of [
    [{}, 'validation.failed'],
    [{ domain: 'a b' }, 'route.domain_invalid'],
    [{ domain: 'b.shop.test' }, 'route.domain_conflict'],
    [{ domain: 'gateway.fleet' }, 'route.domain_conflict'],
    [{ domain: 'db-1.fleet' }, 'route.domain_conflict'],
  ] as const)
    await assert.rejects(rename(world, instance, given), { code }, JSON.stringify(given))
  assert.deepEqual([await routesOf(world), world.slept], [before, []])
  const { db } = world.store
  await db.updateTable('instances').set({ profile: null }).where('id', '=', other.data.id).execute()
  await assert.rejects(rename(world, other.data.id, { domain: 'c.test' }), {
    code: 'instance.source_profile_missing',
  })
  await db
    .insertInto('route_targets')
    .values({ route_id: route, instance_id: other.data.id, position: 2 })
    .execute()
  await assert.rejects(rename(world, instance, { domain: 'store.test' }), { code: 'instance.route_required' })
  await db.deleteFrom('route_targets').where('position', '=', 2).execute()
  await db.updateTable('routes').set({ web_root: 'apps/admin/public' }).where('id', '=', route).execute()
  await assert.rejects(rename(world, instance, { domain: 'store.test' }), { code: 'instance.route_required' })
})

test('a process that dies anywhere in a rename leaves what the identical request finishes; another domain waits [INS-085, INS-087, RTX-035]', async () => {
  await using first = await startWorld()
  const { instance } = await shop(first)
  first.checkouts.head = 'refs/heads/topic'
  const counted = await startWorld({ after: first })
  await rename(counted, instance, { domain: 'd1.test', branch: 'topic' })
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const said = JSON.stringify(moment)
    const domain = `d${index + 2}.test`
    const branch = `b${index}`
    first.checkouts.head = `refs/heads/${branch}`
    const wanted = { domain, branch }
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(rename(dying, instance, wanted), Died, said)
    for (const name of first.names) assert.ok(first.machine.sites.has(name), said)
    if ((await appRoutes(first.store.db)).length > 1)
      await assert.rejects(rename(first, instance, { domain: 'other.test' }), {
        code: 'route.domain_change_conflict',
      })
    const { data } = await rename(first, instance, wanted)
    assert.deepEqual([data.route?.domain, data.selected_branch], [domain, branch], said)
    assert.deepEqual(await routesOf(first), [[domain, 'active', 'generated', first.node.id]], said)
  }
})
