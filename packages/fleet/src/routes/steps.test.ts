import { testStepList } from '@fleet/steps/testing'
import { fakeCall, KeptWorlds } from '@fleet/testing'
import { findRoute, insertRoute } from '#/routes/queries.ts'
import { asProxy } from '#/routes/record.ts'
import { type Activation, failureLog, proxyActivation } from '#/routes/steps/activation.ts'
import { type Removal, routeRemoval } from '#/routes/steps/removal.ts'
import { create, startWorld, UPSTREAM, type World } from '#/routes/world.test.ts'

const worlds = new KeptWorlds<World>()

async function begin(): Promise<World> {
  const world = await startWorld()
  worlds.keep(world)
  return world
}

type Given<C> = C & { readonly world: World }

const viewOf = async ({ world, route: { id } }: Given<{ readonly route: { readonly id: number } }>) => {
  const stored = await findRoute(world.store.db, id)
  return {
    leaves: [...world.machine.leaves],
    sites: [...world.machine.sites],
    names: [...world.names],
    isStored: stored !== undefined,
    flags: stored && [stored.has_site, stored.has_name],
  }
}

async function activation(world: World, id: number): Promise<Given<Activation> | undefined> {
  const route = await findRoute(world.store.db, id)
  if (!route) return undefined
  const call = fakeCall()
  const session = world.deps.nodes.sessions.overTunnel(call, world.node)
  return { world, deps: world.deps, call, session, route: asProxy(route) }
}

testStepList<Given<Activation>>('route-proxy-activation', {
  list: proxyActivation,
  close: ({ world }) => worlds.close(world),
  fresh: async () => {
    const world = await begin()
    const route = await insertRoute(world.store.db, {
      kind: 'custom_proxy',
      node_id: world.node.id,
      domain: 'mail.internal',
      provenance: 'explicit',
      publication: 'private',
      status: 'activating',
      upstream: UPSTREAM,
      created_at: '2026-03-01T00:00:00.000Z',
    })
    const given = route && (await activation(world, route.id))
    if (!given) throw new Error('no Route was stored')
    return given
  },
  view: viewOf,
  log: failureLog,
  again: ({ world, route }) => activation(world, route.id),
})

async function removal(world: World, id: number, isSilent: boolean): Promise<Given<Removal> | undefined> {
  const route = await findRoute(world.store.db, id)
  if (!route) return undefined
  const call = fakeCall()
  const session = isSilent ? undefined : world.deps.nodes.sessions.overTunnel(call, world.node)
  return { world, deps: world.deps, call, route, node: world.node, session }
}

for (const isSilent of [false, true])
  testStepList<Given<Removal>>('route-removal', {
    variant: isSilent ? 'a silent Node' : 'a Node that answers',
    list: routeRemoval,
    close: ({ world }) => worlds.close(world),
    fresh: async () => {
      const world = await begin()
      const { data } = await create(world)
      const given = await removal(world, data.id, isSilent)
      if (!given) throw new Error('no Route was stored')
      return given
    },
    view: viewOf,
    log: failureLog,
    commitsWhole: true,
    again: ({ world, route }) => removal(world, route.id, isSilent),
  })
