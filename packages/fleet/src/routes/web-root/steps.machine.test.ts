import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testStepList } from '@fleet/steps/testing'
import { fakeCall, KeptWorlds } from '@fleet/testing'
import { Died, momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { appRoutes, findRoute } from '#/routes/queries.ts'
import { webRootGiveUp, webRootLog, webRootUpdate } from '#/routes/web-root/steps/list.ts'
import type { WebRootUpdate } from '#/routes/web-root/steps/update.ts'
import {
  admin,
  ADMIN,
  type Admin,
  BLOG,
  machineOf,
  monorepo,
  production,
  servicesOf,
} from '#/routes/web-root/world.test.ts'
import { createFor, destroy, startWorld, update, type World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

type Given = WebRootUpdate & { readonly world: World }

async function begin(): Promise<World> {
  const world = await startWorld()
  worlds.keep(world)
  return world
}

/** As the handler builds it from the record. */
async function updating(world: World, routeId: number, webRoot: string | null): Promise<Given | undefined> {
  const route = await findRoute(world.store.db, routeId)
  const change = route?.web_root_change ?? null
  if (!route || (change === null && route.web_root === webRoot)) return undefined
  return {
    world,
    deps: world.deps,
    call: fakeCall(),
    node: world.node,
    routeId,
    webRoot,
    isResumed: change !== null,
    isCommitted: change !== null && route.web_root === webRoot,
  }
}

async function begun(world: World, routeId: number, webRoot: string | null): Promise<Given> {
  const given = await updating(world, routeId, webRoot)
  if (!given) throw new Error('there is nothing to change')
  return given
}

const view = async ({ world }: Pick<Given, 'world'>) => ({
  ...machineOf(world),
  services: (await servicesOf(world)).toSorted(),
  routes: (await appRoutes(world.store.db)).map(({ domain, status, web_root, php_version, has_source }) => [
    domain,
    status,
    web_root,
    php_version,
    has_source,
  ]),
})

const VARIANTS: ReadonlyArray<readonly [string, (world: World) => Promise<Admin>, string | null]> = [
  ['of development', admin, BLOG],
  ['of production', production, BLOG],
  ['to that of the Instance', monorepo, null],
  ['from that of the Instance', (world) => monorepo(world, null), BLOG],
]

for (const [variant, start, webRoot] of VARIANTS)
  testStepList<Given>('route-web-root', {
    variant,
    list: webRootUpdate,
    close: ({ world }) => worlds.close(world),
    fresh: async () => {
      const world = await begin()
      return begun(world, (await start(world)).route, webRoot)
    },
    view,
    log: webRootLog,
    again: ({ world, routeId }) => updating(world, routeId, webRoot),
  })

testStepList<Given>('route-web-root-give-up', {
  list: webRootGiveUp,
  close: ({ world }) => worlds.close(world),
  fresh: async () => {
    const world = await begin()
    const { route } = await monorepo(world)
    const given = await begun(world, route, null)
    for (const step of webRootUpdate.stepsFor(given)) {
      if (step.commits) break
      await step.run(given)
    }
    return { ...(await begun(world, route, null)), isCommitted: true }
  },
  view,
  log: webRootLog,
})

test('a process that dies anywhere in a change of the web root serves one of both, and any request finishes it or takes it back [RTE-068]', async () => {
  await using first = await startWorld()
  const { route } = await monorepo(first)
  const counted = await startWorld({ after: first })
  await update(counted, route, { web_root: null })
  await update(first, route, { web_root: ADMIN })
  const before = machineOf(first)
  const { pools } = first.machine
  for (const moment of sampled(momentsOf(counted.mortal), 3))
    for (const wanted of [null, ADMIN]) {
      const dying = await startWorld({ after: first, moment })
      await assert.rejects(update(dying, route, { web_root: null }), Died, JSON.stringify(moment))
      const [, socket = ''] = first.machine.sites.get('admin.example')?.split(' /run/php/') ?? []
      assert.ok(pools.has(socket.replace('.sock', '')), `${JSON.stringify(moment)}: its pool runs`)
      const { data } = await update(first, route, { web_root: wanted })
      assert.deepEqual([data.web_root, data.failed_step], [wanted, null], JSON.stringify(moment))
      assert.equal((await findRoute(first.store.db, route))?.web_root_change, null)
      await update(first, route, { web_root: ADMIN })
      assert.deepEqual(machineOf(first), before, JSON.stringify(moment))
    }
})

test('a Route whose change was interrupted is removed with both of its certificates, also by a Node that comes back', async () => {
  for (const isSilent of [false, true]) {
    await using world = await startWorld()
    const { instance, route } = await monorepo(world)
    world.broken.set('site', 'app-dev.caddy_config_failed')
    await assert.rejects(update(world, route, { web_root: null }))
    world.broken.clear()
    assert.deepEqual([...world.machine.leaves.keys()].toSorted(), [
      `app-instance-${instance}`,
      `route-${route}`,
    ])
    world.answers = !isSilent
    await destroy(world, route, isSilent)
    if (isSilent) {
      world.answers = true
      const session = world.deps.nodes.sessions.overTunnel(fakeCall(), world.node)
      assert.equal(await world.routes.residue.converge(session, { force: false }), 'applied')
    }
    assert.deepEqual(machineOf(world), {
      sites: {},
      leaves: {},
      pools: [],
      opened: { '/home/fleet/apps/shop/default': [] },
      names: [],
    })
    await createFor(world, instance)
  }
})
