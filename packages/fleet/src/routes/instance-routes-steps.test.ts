import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { addInstance, fakeCall, KeptWorlds } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { makeProductionSource } from '#/routes/production/services.ts'
import { addProduction, deployed } from '#/routes/production/world.test.ts'
import { addTarget, appRoutes, findRoute, insertRoute, residuesOn, updateRoute } from '#/routes/queries.ts'
import { servedRows } from '#/routes/served/queries.ts'
import { type Publication, routePublication, stepLogOf } from '#/routes/steps/publication.ts'
import { type Leaving, leavingLog, routeLeaving } from '#/routes/steps/leaving.ts'
import { routeWithdrawal, type Withdrawal, withdrawalLog } from '#/routes/steps/withdrawal.ts'
import { addApp, createInstance, destroyInstance, startWorld, type World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

type Given<C> = C & { readonly world: World }

async function reserved(
  web_root: string | null = null,
): Promise<{ readonly world: World; readonly routeId: number }> {
  const world = await startWorld()
  worlds.keep(world)
  const instance =
    web_root === null
      ? await addInstance(world.store, {
          project_id: (await addApp(world)).id,
          node_id: world.node.id,
          name: 'default',
          checkout_path: '/home/fleet/apps/shop/default',
        })
      : await addProduction(world, deployed)
  const route = await insertRoute(world.store.db, {
    kind: 'app',
    project_id: instance.project_id,
    node_id: world.node.id,
    domain: 'shop.test',
    web_root,
    provenance: 'explicit',
    publication: 'private',
    status: 'pending',
    created_at: '2026-03-01T00:00:00.000Z',
  })
  if (!route) throw new Error('the domain is taken')
  await addTarget(world.store.db, route.id, instance.id)
  return { world, routeId: route.id }
}

function publication(world: World, routeId: number): Given<Publication> {
  const call = fakeCall()
  const session = world.deps.nodes.sessions.overTunnel(call, world.node)
  return { world, deps: world.deps, call, session, routeId, namesApplication: true }
}

const viewOf = async (world: World, id: number) => {
  const { machine, names } = world
  const stored = await findRoute(world.store.db, id)
  return {
    machine: [machine.leaves, machine.sites, machine.pools, machine.urls].map((part) => [...part]),
    // What was opened and closed again is as if it never was.
    opened: [...machine.opened].filter(([, webRoots]) => webRoots.length > 0),
    names: [...names],
    flags: stored && [stored.has_source, stored.has_site, stored.has_name, stored.php_version],
  }
}

testStepList<Given<Publication>>('route-publication', {
  list: routePublication,
  close: ({ world }) => worlds.close(world),
  fresh: async () => {
    const { world, routeId } = await reserved()
    return publication(world, routeId)
  },
  view: ({ world, routeId }) => viewOf(world, routeId),
  log: stepLogOf,
  again: ({ world, routeId }) => publication(world, routeId),
})

// As after a removal, the environment of the home stays: it has a key of its own and what its owner wrote.
const KEPT = new Map<string, string>()

testStepList<Given<Publication>>('route-publication', {
  variant: 'that is undone',
  list: routePublication,
  close: ({ world }) => worlds.close(world),
  fresh: async () => {
    const { world, routeId } = await reserved('apps/admin/public')
    return { ...publication(world, routeId), isTakenBack: true }
  },
  view: async ({ world, routeId }) => ({
    ...(await viewOf({ ...world, machine: { ...world.machine, urls: KEPT } }, routeId)),
    services: (await makeProductionSource(world).servicesOn(world.node)).flatMap(
      ({ otherDirectories }) => otherDirectories,
    ),
  }),
  log: stepLogOf,
  again: async ({ world, routeId }) => {
    // One that failed is destroyed, and another creation begins.
    await updateRoute(world.store.db, routeId, { status: 'activating' })
    return { ...publication(world, routeId), isTakenBack: true, isResumed: true }
  },
})

async function withdrawal(
  world: World,
  routeId: number,
  how: Pick<Withdrawal, 'ends' | 'keepsCheckout'>,
): Promise<Given<Withdrawal> | undefined> {
  const [served] = await servedRows(world.store.db, { routeId })
  const { call, session, deps } = publication(world, routeId)
  return served && { world, deps, call, session, node: world.node, served, ...how }
}

for (const how of [
  { ends: 'pending', keepsCheckout: false },
  { ends: 'deleted', keepsCheckout: false },
  { ends: 'deleted', keepsCheckout: true },
] as const)
  testStepList<Given<Withdrawal>>('route-withdrawal', {
    variant: `${how.ends}, ${how.keepsCheckout ? 'with' : 'without'} its checkout`,
    list: routeWithdrawal,
    close: ({ world }) => worlds.close(world),
    fresh: async () => {
      const { world, routeId } = await reserved()
      const given = publication(world, routeId)
      for (const step of routePublication.stepsFor(given)) await step.run(given)
      const begun = await withdrawal(world, routeId, how)
      if (!begun) throw new Error('the Route leads nowhere')
      return begun
    },
    view: ({ world, served }) => viewOf(world, served.route.id),
    log: withdrawalLog,
    again: ({ world, served }) => withdrawal(world, served.route.id, how),
  })

testStepList<Given<Leaving>>('route-leaving', {
  list: routeLeaving,
  close: ({ world }) => worlds.close(world),
  fresh: async () => {
    const { world, routeId } = await reserved()
    const given = publication(world, routeId)
    for (const step of routePublication.stepsFor(given)) await step.run(given)
    const begun = await withdrawal(world, routeId, { ends: 'deleted', keepsCheckout: true })
    if (!begun) throw new Error('the Route leads nowhere')
    world.silent.add(world.node.id)
    return begun
  },
  view: async ({ world, served }) => ({
    ...(await viewOf(world, served.route.id)),
    left: (await residuesOn(world.store.db, world.node.id)).map(({ leaf_scope }) => leaf_scope),
  }),
  log: leavingLog,
  commitsWhole: true,
  again: ({ world, served }) => withdrawal(world, served.route.id, { ends: 'deleted', keepsCheckout: true }),
})

test('a process that dies anywhere in a creation leaves what the identical request finishes, and never a name without a site [RTX-021, INS-050]', async () => {
  await using first = await startWorld()
  const project = await addApp(first)
  const counted = await startWorld({ after: first })
  const { data } = await createInstance(counted, { project_id: project.id, name: 'counted', branch: 'main' })
  await destroyInstance(first, data.id)
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const name = `c${index}`
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(
      createInstance(dying, { project_id: project.id, name, branch: 'main' }),
      Died,
      JSON.stringify(moment),
    )
    for (const domain of first.names) assert.ok(first.machine.sites.has(domain), JSON.stringify(moment))
    const again = await createInstance(first, { project_id: project.id, name, branch: 'main' })
    assert.deepEqual([again.data.status, again.data.route?.status], ['active', 'active'])
    assert.ok(first.names.has(`${name}.shop.test`))
    assert.equal((await appRoutes(first.store.db)).length, 1, 'one Route')
    await destroyInstance(first, again.data.id)
    assert.deepEqual(
      [first.names.size, first.machine.sites.size, first.machine.leaves.size, first.machine.pools.size],
      [0, 0, 0, 0],
    )
  }
})

test('a process that dies anywhere in a removal leaves what the identical request finishes [INS-113, RTX-029]', async () => {
  await using first = await startWorld()
  const project = await addApp(first)
  const made = await createInstance(first, { project_id: project.id, name: 'counted', branch: 'main' })
  const counted = await startWorld({ after: first })
  await destroyInstance(counted, made.data.id)
  for (const [index, moment] of sampled(momentsOf(counted.mortal), 3).entries()) {
    const { data } = await createInstance(first, {
      project_id: project.id,
      name: `d${index}`,
      branch: 'main',
    })
    const dying = await startWorld({ after: first, moment })
    await assert.rejects(destroyInstance(dying, data.id), Died, JSON.stringify(moment))
    for (const domain of first.names) assert.ok(first.machine.sites.has(domain), JSON.stringify(moment))
    const stored = await first.store.db.selectFrom('instances').select('id').executeTakeFirst()
    if (stored) await destroyInstance(first, data.id)
    assert.deepEqual(await appRoutes(first.store.db), [])
    assert.deepEqual(
      [first.names.size, first.machine.sites.size, first.machine.leaves.size, first.machine.pools.size],
      [0, 0, 0, 0],
      JSON.stringify(moment),
    )
  }
})
