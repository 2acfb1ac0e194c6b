import { testStepList } from '@fleet/steps/testing'
import { findServer, insertServer, updateServer } from '#/databases/servers/queries.ts'
import { sealRootPassword } from '#/databases/servers/root-password.ts'
import { creationLog, serverCreation, type ServerCreation } from '#/databases/servers/steps/creation.ts'
import { removalLog, serverRemoval, type ServerRemoval } from '#/databases/servers/steps/removal.ts'
import { type ServerWorld, startServerWorld } from '#/databases/servers/world.test.ts'

async function fresh(): Promise<ServerCreation & { readonly world: ServerWorld }> {
  const world = await startServerWorld()
  const { deps } = world
  const node = await deps.nodes.find(world.node.id)
  const inserted = await insertServer(deps.store.db, {
    slug: 'main',
    node_id: world.node.id,
    engine: 'mysql',
    tag: '8.4',
    port: 3306,
    status: 'provisioning',
    created_at: '2026-01-01T00:00:00.000Z',
  })
  if (!node || !inserted) throw new Error('the records of the test are gone')
  const root_password = sealRootPassword(deps.store.cipher, inserted.id, 'canary-root')
  const server = await updateServer(deps.store.db, inserted.id, { root_password })
  const call = world.call()
  return { world, deps, call, node, server, session: deps.nodes.sessions.overTunnel(call, node) }
}

type World = Awaited<ReturnType<typeof fresh>>

const view = async ({ world }: { readonly world: ServerWorld }): Promise<unknown> => {
  const { db } = world.deps.store
  return [
    await db.selectFrom('database_servers').select(['slug', 'status', 'process_id']).execute(),
    await db.selectFrom('processes').select('name').execute(),
    // The container that runs in the end has no variables.
    world.containers.ran.at(-1),
  ]
}

/** As the identical request finds it. */
const reread = async (context: World): Promise<World> => {
  const server = await findServer(context.deps.store.db, 'main')
  return server ? { ...context, server } : context
}

testStepList<World>('database-server-creation', {
  list: serverCreation,
  fresh,
  view,
  log: creationLog,
  again: reread,
  close: ({ world }) => world[Symbol.asyncDispose](),
})

testStepList<ServerRemoval & { readonly world: ServerWorld }>('database-server-removal', {
  list: serverRemoval,
  fresh: async () => {
    const world = await startServerWorld()
    const server = await world.createServer()
    const call = world.call()
    const node = await world.deps.nodes.find(world.node.id)
    if (!node) throw new Error('the Node of the test is gone')
    return {
      world,
      deps: world.deps,
      call,
      server,
      session: world.deps.nodes.sessions.overTunnel(call, node),
    }
  },
  view: async (context) => ((await view(context)) as readonly unknown[]).slice(0, 2), // An array, as above.
  log: removalLog,
  again: async (context) => {
    const server = await findServer(context.deps.store.db, 'main')
    return server && { ...context, server }
  },
  close: ({ world }) => world[Symbol.asyncDispose](),
})
