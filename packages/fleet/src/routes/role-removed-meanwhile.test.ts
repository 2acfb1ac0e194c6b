// A role that is taken away while an Instance is on its way to its Node.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@fleet/store'
import {
  addInstance,
  fakeCall,
  fakeNodeServices,
  forEachDialect,
  refusalOf,
  testDomains,
} from '@fleet/testing'
import { holdRole } from '#/nodes/api.ts'
import { transfer, twoNodes } from '#/routes/move-world.test.ts'
import { addApp, createInstance, startWorld } from '#/routes/world.test.ts'

/** `node:role:remove` of `app-dev`, which knows what other domains have on the Node. */
function removing(store: Store) {
  const { owned } = testDomains({ store }).nodeServices
  const { roleHandlers } = testDomains({ store }, { nodeServices: { ...fakeNodeServices(), owned } })
  return async (node: number, offline = false) =>
    (
      await roleHandlers['node:role:remove']({
        call: fakeCall(),
        input: { node, role: 'app-dev', offline },
      })
    ).data
}

const rolesOf = async ({ db }: Store, node: number): Promise<readonly string[]> =>
  (await db.selectFrom('node_roles').select('role').where('node_id', '=', node).execute()).map(
    ({ role }) => role,
  )

forEachDialect(
  'a Node that loses app-dev while a creation waits for its Project gets no Instance [INS-045]',
  async (dialect) => {
    let meanwhile: (() => Promise<unknown>) | undefined
    const behind = (store: Store): Store => ({
      ...store,
      locks: {
        holderOf: (name) => store.locks.holderOf(name),
        acquire: async (request) => {
          if (request.name.startsWith('project:')) await meanwhile?.()
          return store.locks.acquire(request)
        },
      },
    })
    await using world = await startWorld({ dialect, behind })
    const { id: project_id } = await addApp(world)
    const remove = removing(world.store)
    meanwhile = async () => {
      meanwhile = undefined
      assert.equal((await remove(world.node.id)).removed, true)
    }
    const { code, details } = await refusalOf(createInstance(world, { project_id }))
    assert.deepEqual(
      [code, details['node']],
      ['instance.node_not_app_dev', { id: world.node.id, name: 'web-1' }],
    )
    assert.deepEqual(await world.store.db.selectFrom('instances').select('name').execute(), [])
  },
)

forEachDialect(
  'the removal of app-dev waits for an Instance that is being stored, and is refused then [ROLE-029]',
  ['postgres'],
  async (dialect) => {
    await using world = await startWorld({ dialect })
    const { id: project_id } = await addApp(world)
    const remove = removing(world.store)
    const held = Promise.withResolvers<void>()
    const storing = world.store.transaction(async (tx) => {
      assert.equal(await holdRole(tx, world.node.id, 'app-dev'), true)
      held.resolve()
      // The other connection has its time to overtake.
      for (let asked = 0; asked < 300; asked += 1) await tx.selectFrom('nodes').select('id').execute()
      await tx
        .insertInto('instances')
        .values({
          project_id,
          node_id: world.node.id,
          name: 'feature',
          environment: 'development',
          checkout_path: '/home/fleet/apps/app/feature',
          detached: 0,
          migration_required: 0,
          status: 'reserved',
          preparation_id: 'p',
          created_at: '2026-01-02T03:04:05.000Z',
        })
        .execute()
    })
    await held.promise
    const { code, details } = await refusalOf(remove(world.node.id))
    assert.deepEqual(
      [code, details],
      ['node_role.in_use', { role: 'app-dev', reason: 'hosts_instances_or_routes', instances: 1, routes: 0 }],
    )
    await storing
    assert.deepEqual(await rolesOf(world.store, world.node.id), ['app-dev'])
  },
)

forEachDialect(
  'both Nodes of a transfer keep app-dev until it is finished, also once it has stopped, and the advised command is the one that finishes it [ROLE-029]',
  async (dialect) => {
    await using world = await startWorld({ dialect })
    const { other, data } = await twoNodes(world)
    const remove = removing(world.store)
    const request = { instance: data.id, node_id: other.id, name: 'moved' }
    world.checkouts.lost.add('delete source')
    await refusalOf(transfer(world, request))
    const transfers = [{ instance_id: data.id, destination_node_id: other.id, name: 'moved' }]
    for (const offline of [false, true]) {
      const { code, details, message } = await refusalOf(remove(data.node_id, offline))
      const open = { role: 'app-dev', reason: 'open_transfers', transfers }
      assert.deepEqual([code, details], ['node_role.in_use', open])
      const command = `fleet instance:transfer ${data.id} ${other.id} --name moved`
      assert.ok(String(message).endsWith(`first: \`${command}\`.`))
    }
    world.checkouts.lost.clear()
    await transfer(world, request)
    assert.equal((await remove(data.node_id)).removed, true)
  },
)

test('a Node that lost app-dev before the transfer was recorded, or by an earlier version after that, gets no Instance [INS-097]', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined
  const behind = (store: Store): Store => ({
    ...store,
    transaction: async (work) => {
      await meanwhile?.()
      return store.transaction(work)
    },
  })
  await using world = await startWorld({ behind })
  const { other, data } = await twoNodes(world)
  const lose = async (): Promise<void> => {
    meanwhile = undefined
    await world.store.db.deleteFrom('node_roles').where('node_id', '=', other.id).execute()
  }
  const transferOf = () =>
    world.store.db.selectFrom('instances').select(['node_id', 'transfer']).executeTakeFirstOrThrow()
  meanwhile = lose
  const request = { instance: data.id, node_id: other.id }
  assert.equal((await refusalOf(transfer(world, request))).code, 'instance.node_not_app_dev')
  assert.equal((await transferOf()).transfer, null)
  await world.store.db
    .insertInto('node_roles')
    .values({ node_id: other.id, role: 'app-dev', status: 'active', created_at: '2026-01-02T03:04:05.000Z' })
    .execute()
  const { push } = world.done
  world.done.push = (...said) => {
    if (said.some((text) => text.includes('names none'))) meanwhile = lose
    return push.apply(world.done, said)
  }
  assert.equal((await refusalOf(transfer(world, request))).code, 'instance.node_not_app_dev')
  const { node_id, transfer: record } = await transferOf()
  assert.deepEqual([node_id, record?.status, record?.failed_step], [data.node_id, 'rolled_back', 'cutover'])
})

for (const offline of [false, true])
  test(`an Instance that is stored between the question and the removal of app-dev keeps it${offline ? ' without the machine too' : ''} [ROLE-029]`, async () => {
    await using world = await startWorld()
    const { id: project_id } = await addApp(world)
    let begun = 0
    const store: Store = {
      ...world.store,
      transaction: async (work) => {
        begun += 1
        if (begun === 2) await addInstance(world.store, { project_id, node_id: world.node.id })
        return world.store.transaction(work)
      },
    }
    const { code, details } = await refusalOf(removing(store)(world.node.id, offline))
    assert.deepEqual([code, details['instances']], ['node_role.in_use', 1])
    assert.deepEqual(await rolesOf(world.store, world.node.id), ['app-dev'])
    const { db } = world.store
    const [row] = await db.selectFrom('node_roles').select('status').where('role', '=', 'app-dev').execute()
    assert.equal(row?.status, 'active')
  })
