import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDialect, openTestStore } from '@fleet/testing'
import { sql } from 'kysely'
import { isTaken, type NewRow, type Store, violationOf } from '#/index.ts'

const at = '2026-01-02T03:04:05.000Z'
const node: NewRow<'nodes'> = {
  name: 'web-1',
  status: 'active',
  user: 'fleet',
  user_home: '/home/fleet',
  ssh_port: 22,
  created_at: at,
}
const project: NewRow<'projects'> = {
  slug: 'shop',
  name: 'Shop',
  code: 'SHOP',
  type: 'laravel-app',
  repository_url: 'https://git.example/shop.git',
  repository_identity: 'git.example/shop',
  source_access: 'gh_cli',
  task_workspace_routed: 0,
  task_compute: 'vm',
  review_and_merge: 0,
  created_at: at,
}
const instance = (nodeId: number, projectId: number): NewRow<'instances'> => ({
  project_id: projectId,
  node_id: nodeId,
  name: 'main',
  environment: 'development',
  checkout_path: '/home/fleet/shop',
  detached: 0,
  migration_required: 0,
  status: 'active',
  vite_port: 5173,
  preparation_id: 'p',
  created_at: at,
})

const seed = async (store: Store): Promise<{ readonly nodeId: number; readonly projectId: number }> => {
  const { id: nodeId } = await store.db
    .insertInto('nodes')
    .values(node)
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: projectId } = await store.db
    .insertInto('projects')
    .values(project)
    .returning('id')
    .executeTakeFirstOrThrow()
  await store.db.insertInto('instances').values(instance(nodeId, projectId)).execute()
  return { nodeId, projectId }
}

const failure = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

forEachDialect('a taken value is recognised by its table and columns', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { nodeId, projectId } = await seed(store)
  const again = await failure(store.db.insertInto('nodes').values(node).execute())
  assert.equal(isTaken(again, 'nodes(name)'), true)
  assert.equal(isTaken(again, 'nodes(wireguard_ip)'), false)
  const port = { ...instance(nodeId, projectId), name: 'other', checkout_path: '/elsewhere' }
  const taken = await failure(store.db.insertInto('instances').values(port).execute())
  assert.equal(isTaken(taken, 'instances(node_id,vite_port)'), true)
})

forEachDialect('a primary key that stands twice is a taken value too', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const error = await failure(
    store.db.insertInto('facts').values({ name: 'application_key', value: '' }).execute(),
  )
  assert.deepEqual(violationOf(error), { kind: 'unique', rule: 'facts(name)' })
})

test('a PostgreSQL that speaks another language names the columns all the same', () => {
  const details = [
    'Schlüssel »(project_id, name)=(7, web (x)=(y))« existiert bereits.',
    'キー (project_id, name)=(7, web)はすでに存在します。',
    '键值"(project_id, name)=(7, web)" 已经存在',
  ]
  for (const detail of details) {
    const error = Object.assign(new Error('x'), { code: '23505', table: 'instances', detail })
    assert.equal(isTaken(error, 'instances(project_id,name)'), true, detail)
  }
})

forEachDialect(
  'what others refer to cannot be deleted, nor an unknown record referred to',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const { nodeId } = await seed(store)
    const reference = { kind: 'reference', rule: undefined }
    assert.deepEqual(violationOf(await failure(store.db.deleteFrom('nodes').execute())), reference)
    assert.deepEqual(violationOf(await failure(store.db.deleteFrom('projects').execute())), reference)
    const orphan = { ...instance(nodeId, 99), checkout_path: '/elsewhere', vite_port: null }
    const unknown = store.db.insertInto('instances').values(orphan).execute()
    assert.deepEqual(violationOf(await failure(unknown)), reference)
  },
)

forEachDialect('what belongs to an Instance goes with it', async (dialect) => {
  await using store = await openTestStore({ dialect })
  await seed(store)
  const { id } = await store.db.selectFrom('instances').select('id').executeTakeFirstOrThrow()
  await store.db
    .insertInto('environment_values')
    .values({ instance_id: id, key: 'A', value: 'v1:', updated_at: at })
    .execute()
  await store.db.insertInto('environment_files').values({ instance_id: id, known_keys: [] }).execute()
  await store.db.deleteFrom('instances').execute()
  assert.deepEqual(await store.db.selectFrom('environment_values').select('key').execute(), [])
  assert.deepEqual(await store.db.selectFrom('environment_files').select('instance_id').execute(), [])
})

forEachDialect('other errors are no violation', async (dialect) => {
  await using store = await openTestStore({ dialect })
  assert.equal(violationOf(await failure(sql`select from nowhere at all`.execute(store.db))), undefined)
})

test('an error of another origin is no violation', () => {
  assert.equal(violationOf(new Error('x')), undefined)
  assert.equal(violationOf('x'), undefined)
})
