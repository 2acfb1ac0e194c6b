import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { fakeCall, KeptWorlds } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import type { PoolChange } from '#/routes/pools/change.ts'
import { forgetSet, recordedSetOf, recordSet } from '#/routes/pools/queries.ts'
import { giveUpLog, targetSetGiveUp } from '#/routes/pools/steps/give-up.ts'
import { leaveLog, poolLeave } from '#/routes/pools/steps/leave.ts'
import { targetSet, targetSetLog } from '#/routes/pools/steps/list.ts'
import { type AuthorizedRemovals, removalsLog, targetSetRemovals } from '#/routes/pools/steps/removals.ts'
import { openShop, type Shop, viewOf } from '#/routes/pools/world.test.ts'
import { findRoute, updateRoute } from '#/routes/queries.ts'
import { setTargets, startWorld, type World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

type Given = PoolChange & { readonly shop: Shop }

async function begin(): Promise<Shop> {
  const shop = await openShop()
  worlds.keep(shop.world)
  return shop
}

const view = async ({ shop }: { readonly shop: Shop }) => viewOf(shop.world)

/** One Instance comes from another Route, and one goes to a third. */
function setOf({ instances: [a, b, c], routes: [first, second, third] }: Shop) {
  return {
    targets: [b],
    dispositions: [{ instance_id: a, route_id: third }],
    pools: [
      { route_id: first, before: [a], after: [b] },
      { route_id: second, before: [b], after: [] },
      { route_id: third, before: [c], after: [c, a] },
    ],
  }
}

async function changeOf(shop: Shop): Promise<Given> {
  const { db } = shop.world.store
  const [routeId] = shop.routes
  const stored = await recordedSetOf(db, routeId)
  const isResumed = stored !== undefined
  if (!stored) {
    const created_at = '2026-03-01T00:00:00.000Z'
    await recordSet(db, { route_id: routeId, target_set: setOf(shop), created_at })
  }
  const isCommitted = ((await findRoute(db, routeId))?.target_set_step ?? null) !== null
  const call = fakeCall()
  return {
    shop,
    deps: shop.world.deps,
    call,
    routeId,
    ...setOf(shop),
    isPublic: false,
    isResumed,
    isCommitted,
  }
}

testStepList<Given>('route-target-set', {
  list: targetSet,
  close: ({ shop }) => worlds.close(shop.world),
  fresh: async () => changeOf(await begin()),
  view,
  log: targetSetLog,
  again: ({ shop }) => changeOf(shop),
  commitsWhole: true,
})

testStepList<Given>('route-target-give-up', {
  list: targetSetGiveUp,
  close: ({ shop }) => worlds.close(shop.world),
  fresh: async () => {
    const given = await changeOf(await begin())
    for (const step of targetSet.stepsFor(given)) {
      if (step.commits) break
      await step.run(given)
    }
    return given
  },
  view,
  log: giveUpLog,
})

testStepList<Given>('route-pool-leave', {
  list: poolLeave,
  close: ({ shop }) => worlds.close(shop.world),
  fresh: async () => {
    const shop = await begin()
    const { world, instances, routes } = shop
    const [a, b] = instances
    await setTargets(world, routes[0], [a, b])
    const pools = [{ route_id: routes[0], before: [a, b], after: [a] }]
    const dispositions = [{ instance_id: b, route_id: null }]
    const call = fakeCall()
    return {
      shop,
      deps: world.deps,
      call,
      routeId: routes[0],
      pools,
      dispositions,
      isPublic: true,
      isResumed: false,
      isCommitted: true,
    }
  },
  view,
  log: () => leaveLog,
})

type Removing = AuthorizedRemovals & { readonly shop: Shop }

testStepList<Removing>('route-target-removals', {
  list: targetSetRemovals,
  close: ({ shop }) => worlds.close(shop.world),
  fresh: async () => {
    const shop = await begin()
    const { world, instances, routes } = shop
    const [a, b] = instances
    await setTargets(world, routes[0], [a, b])
    await setTargets(world, routes[0], [a], { dispositions: [{ instance_id: b, route_id: routes[2] }] })
    await updateRoute(world.store.db, routes[0], { target_set_step: 'activate' })
    return { shop, deps: world.deps, call: fakeCall(), routeId: routes[0], instanceIds: [instances[2]] }
  },
  view: async ({ shop }) => ({
    world: await viewOf(shop.world),
    set: await recordedSetOf(shop.world.store.db, shop.routes[0]),
    isGone: (await shop.world.deps.instances.find(shop.instances[2])) === undefined,
  }),
  log: removalsLog,
  again: (given) => ({ ...given, call: fakeCall() }),
})

/** Every address that a Router leads to serves the domain: nobody is led to nothing (RTE-110, RTE-132). */
function requireServed({ world, router, nodes }: Shop, when: string): void {
  for (const [domain, site] of world.machines.get(router.id)?.sites ?? [])
    for (const address of site
      .replace(/^pool ?/, '')
      .split(' ')
      .filter(Boolean)) {
      const node = nodes.find((one) => one.wireguard_ip === address)
      assert.ok(world.machines.get(node?.id ?? 0)?.sites.has(domain), `${when}: ${domain} at ${address}`)
    }
}

test('a process that dies anywhere in a change of targets leads nobody to nothing, and the identical request finishes it [RTE-112, RTE-113, RTE-114]', async () => {
  const shop = await begin()
  const { world, instances, routes } = shop
  const [a, b] = instances
  const there = (of: World) => setTargets(of, routes[0], [b, a])
  const back = (of: World) =>
    setTargets(of, routes[0], [a], { dispositions: [{ instance_id: b, route_id: routes[1] }] })
  for (const [first, second] of [
    [there, back],
    [back, there],
  ] as const) {
    const counted = await startWorld({ after: world })
    await first(counted)
    const finished = await viewOf(world)
    await second(world)
    for (const moment of sampled(momentsOf(counted.mortal), 3)) {
      const when = JSON.stringify(moment)
      await assert.rejects(first(await startWorld({ after: world, moment })), Died, when)
      requireServed(shop, when)
      await first(world)
      assert.deepEqual(await viewOf(world), finished, when)
      assert.equal(await recordedSetOf(world.store.db, routes[0]), undefined, when)
      await second(world)
    }
    await first(world)
  }
  await forgetSet(world.store.db, routes[0])
})
