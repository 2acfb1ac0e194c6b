import assert from 'node:assert/strict'
import { addDatabase, addNode, forEachDialect } from '@fleet/testing'
import { sealPassword } from '#/databases/password.ts'
import { create, REGISTRATIONS, startWorld, type World } from '#/databases/world.test.ts'
import type { NodeRecord } from '#/nodes/api.ts'

/** `slug: what was found` of what Doctor says of a Node. */
async function findings({ databases, call }: World, node: object): Promise<readonly string[]> {
  const checks = await databases.checks.checksOf(call(), node as NodeRecord) // Only its id is read.
  const found: string[] = []
  for (const { kind, code, resource, ...check } of checks) {
    assert.deepEqual([kind, code], ['stored', 'database_connection.unhealthy'])
    const verdict = 'judge' in check ? await (check.judge as () => Promise<object | undefined>)() : undefined // A stored one.
    found.push(`${resource.name}: ${verdict === undefined ? 'healthy' : Object.values(verdict).join(', ')}`)
  }
  return found
}

forEachDialect(
  'records that lack a field, name a Node that is gone, or have an unreadable password are reported once, at their Node or the gateway [DBD-001, DBD-003, DBD-005]',
  async (dialect) => {
    await using world = await startWorld(dialect)
    const { store, gateway } = world
    const [node, gone] = [await addNode(store), await addNode(store)]
    await create(world, REGISTRATIONS.pgsql)
    await create(world, { ...REGISTRATIONS.redis, node_id: node.id })
    await addDatabase(store, { slug: 'lacking', node_id: node.id, host: null })
    await addDatabase(store, { slug: 'orphan', node_id: gone.id })
    const sealed = await addDatabase(store, { slug: 'unread', node_id: node.id })
    const moved = sealPassword(store.cipher, sealed.id + 1, 'x')
    await store.db
      .updateTable('database_connections')
      .set({ password: moved })
      .where('id', '=', sealed.id)
      .execute()
    assert.deepEqual(await findings(world, gone), ['orphan: every required field, without password'])
    await store.db.deleteFrom('nodes').where('id', '=', gone.id).execute()
    assert.deepEqual(await findings(world, gateway), [
      'pg: healthy',
      'orphan: an existing Node, a removed Node',
    ])
    assert.deepEqual(await findings(world, node), [
      'cache: healthy',
      'lacking: every required field, without host, password',
      'unread: the password cannot be decrypted',
    ])
    // What the report says to type.
    await world.databases.handlers['database:update']({
      call: world.call(),
      input: { slug: 'unread', password: 'again' },
    })
    assert.ok((await findings(world, node)).includes('unread: healthy'))
    await create(world, { ...REGISTRATIONS.redis, slug: 'left', node_id: node.id })
    await store.db.deleteFrom('nodes').where('id', '=', node.id).execute()
    assert.ok((await findings(world, gateway)).includes('left: an existing Node, a removed Node'))
    await world.databases.handlers['database:update']({
      call: world.call(),
      input: { slug: 'left', node_id: null },
    })
    assert.ok((await findings(world, gateway)).includes('left: healthy'))
  },
)
