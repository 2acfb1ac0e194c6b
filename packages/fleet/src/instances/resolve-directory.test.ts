import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceStatuses } from '@fleet/contract'
import { CodedError } from '@fleet/kernel'
import type { NewRow, Row, Store } from '@fleet/store'
import {
  addGrant,
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  localPool,
  openTestStore,
  testDomains,
} from '@fleet/testing'

interface World extends AsyncDisposable {
  readonly store: Store
  readonly node: Row<'nodes'>
  readonly other: Row<'nodes'>
  readonly projectId: number
  add(name: string, checkoutPath: string, more?: Partial<NewRow<'instances'>>): Promise<Row<'instances'>>
  /** The answer, or the code of the refusal. */
  ask(directory: string, caller?: Row<'nodes'>): Promise<unknown>
}

/** Two Nodes, the first with a grant on the second; a read contacts neither. */
async function startWorld(): Promise<World> {
  const store = await openTestStore()
  const [node, other] = [await addNode(store), await addNode(store)]
  await addGrant(store, node, other)
  const projectId = (await addProject(store)).id
  const pool = localPool({ home: '/nowhere' })
  const resolve = testDomains({ store, ssh: pool }).instances.handlers['instance:resolve-directory']
  const answer = async (directory: string, caller: Row<'nodes'>) =>
    (await resolve({ call: fakeCall({ caller: asCaller(caller) }), input: { directory } })).data
  return {
    store,
    node,
    other,
    projectId,
    add: (name, checkout_path, more = {}) =>
      addInstance(store, { project_id: projectId, node_id: node.id, name, checkout_path, ...more }),
    ask: async (directory, caller = node) =>
      answer(directory, caller).catch((error: unknown) => (error instanceof CodedError ? error.code : error)),
    [Symbol.asyncDispose]: async () => {
      assert.deepEqual(pool.commands, [])
      await store[Symbol.asyncDispose]()
    },
  }
}

const found = (row: Row<'instances'>) => ({
  instance_id: row.id,
  project_id: row.project_id,
  node_id: row.node_id,
  environment: row.environment,
})

test('a directory is found in the checkout that contains it, by whole names and on the own Node alone [DEP-036, DEX-010]', async () => {
  await using world = await startWorld()
  const one = await world.add('one', '/srv/apps/app/one')
  assert.deepEqual(await world.ask('/srv/apps/app/one'), found(one))
  assert.deepEqual(await world.ask('/srv/apps/app/one/src/./deep//er/'), found(one))
  for (const directory of ['/srv/apps/app/one-more', '/srv/apps/app', '/'])
    assert.equal(await world.ask(directory), 'dependencies.target_not_found', directory)
  assert.equal(await world.ask('/srv/apps/app/one', world.other), 'dependencies.target_not_found')
})

test('a path that is not canonical is refused instead of guessed at [DEX-011]', async () => {
  await using world = await startWorld()
  await world.add('one', '/srv/apps/app/one')
  for (const directory of ['srv/apps/app/one', '/srv/apps/app/link/../one', '/srv/apps/app/one/..'])
    assert.equal(await world.ask(directory), 'validation.failed', directory)
})

test('a directory of two nested checkouts is ambiguous, and one of the outer alone is not [DEX-011, DEX-012]', async () => {
  await using world = await startWorld()
  const outer = await world.add('outer', '/srv/apps/app/one')
  await world.add('inner', '/srv/apps/app/one/apps/x/two')
  assert.deepEqual(await world.ask('/srv/apps/app/one/apps/x'), found(outer))
  for (const directory of ['/srv/apps/app/one/apps/x/two', '/srv/apps/app/one/apps/x/two/three'])
    assert.equal(await world.ask(directory), 'dependencies.target_ambiguous')
})

test('a production Instance contains everything below its home, whichever release it runs', async () => {
  await using world = await startWorld()
  const live = await world.add('live', '/home/shop/releases/initial', {
    environment: 'production',
    production_user: 'shop',
    production_home: '/home/shop',
  })
  for (const directory of ['/home/shop', '/home/shop/releases/initial', '/home/shop/releases/20260102/app'])
    assert.deepEqual(await world.ask(directory), found(live), directory)
})

test('an Instance that is not active is unavailable, and says which it is [DEX-012]', async () => {
  await using world = await startWorld()
  for (const status of instanceStatuses) {
    const row = await world.add(status.replace('_', '-'), `/srv/${status}`, { status })
    const code = 'dependencies.instance_unavailable'
    assert.deepEqual(await world.ask(`/srv/${status}`), status === 'active' ? found(row) : code)
  }
})
