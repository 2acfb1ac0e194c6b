import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addInstance, addNode, addProject, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import { insertConnection } from '#/databases/queries.ts'

const AT = { created_at: '2026-01-01T00:00:00.000Z' }

test('a database that was removed with its Instance is published although the next one fails [EV-045]', async () => {
  await using store = await openTestStore()
  const { db } = store
  const { id: node_id } = await addNode(store)
  const instance = await addInstance(store, { project_id: (await addProject(store)).id, node_id })
  const owned = { ...AT, owner_instance_id: instance.id }
  const file = await insertConnection(db, { ...owned, slug: 'file', driver: 'sqlite', path: '/srv/a.sqlite' })
  const server = await db
    .insertInto('database_servers')
    .values({ ...AT, slug: 'main', node_id, engine: 'pgsql', tag: '17', port: 5432, status: 'active' })
    .returning('id')
    .executeTakeFirstOrThrow()
  // Without its Process the server is not there to drop anything.
  await insertConnection(db, { ...owned, slug: 'served', driver: 'pgsql', server_id: server.id })
  const call = fakeCall()
  const removal = testDomains({ store }).databases.forInstances.remove(call, instance.id)
  await assert.rejects(removal, { code: 'database.server_inactive' })
  assert.deepEqual(call.published, [{ type: 'database.deleted', data: { id: file?.id, slug: 'file' } }])
})
