import assert from 'node:assert/strict'
import { addInstance, addNode, addProject, forEachDialect, openTestStore } from '@fleet/testing'
import type { NewRow } from '@fleet/store'
import { makeInstanceQueries, reserveRow } from './queries.ts'

const newRow = (given: Partial<NewRow<'instances'>>): NewRow<'instances'> => ({
  project_id: 1,
  node_id: 1,
  name: 'feature',
  environment: 'development',
  checkout_path: '/home/fleet/apps/app/feature',
  detached: 0,
  migration_required: 0,
  status: 'reserved',
  vite_port: 15173,
  preparation_id: 'p-1',
  created_at: '2026-01-02T03:04:05.000Z',
  ...given,
})

forEachDialect(
  'a taken name, path or port is distinguished from a free place [INS-013, INS-051]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const queries = makeInstanceQueries(store)
    const node = await addNode(store)
    const place = { project_id: (await addProject(store)).id, node_id: node.id }
    const free = { name: 'b', checkout_path: '/b', vite_port: 2 }
    assert.equal(
      (await reserveRow(store.db, newRow({ ...place, name: 'a', checkout_path: '/a', vite_port: 1 })))?.name,
      'a',
    )
    assert.equal(await reserveRow(store.db, newRow({ ...place, ...free, name: 'a' })), undefined)
    assert.equal(await reserveRow(store.db, newRow({ ...place, ...free, checkout_path: '/a' })), undefined)
    assert.equal(await reserveRow(store.db, newRow({ ...place, ...free, vite_port: 1 })), undefined)
    assert.equal((await reserveRow(store.db, newRow({ ...place, ...free })))?.vite_port, 2)
    assert.deepEqual(await queries.portsOn(node.id), [1, 2])
    assert.equal(await queries.isPathTaken(node.id, '/a'), true)
    assert.equal(await queries.isPathTaken(node.id, '/c'), false)
  },
)

forEachDialect('concurrent reservations of one name leave one row', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const place = { project_id: (await addProject(store)).id, node_id: (await addNode(store)).id }
  const rows = await Promise.all(
    [1, 2, 3, 4].map((port) =>
      reserveRow(store.db, newRow({ ...place, vite_port: port, checkout_path: `/${port}` })),
    ),
  )
  assert.equal(rows.filter((row) => row !== undefined).length, 1)
})

forEachDialect(
  'a list holds the Instances of the given Nodes by Project slug and name in byte order',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const queries = makeInstanceQueries(store)
    const [node, other] = [await addNode(store), await addNode(store)]
    const late = await addProject(store, { slug: 'a-late' })
    const middle = await addProject(store, { slug: 'M-middle' })
    const early = await addProject(store, { slug: 'Z-early' })
    for (const [project_id, node_id, name] of [
      [late.id, node.id, 'b'],
      [late.id, node.id, 'a-2'],
      [middle.id, node.id, 'm'],
      [early.id, node.id, 'z'],
      [early.id, other.id, 'hidden'],
    ] as const) {
      await addInstance(store, { project_id, node_id, name })
    }
    const listed = await queries.listOn(new Set([node.id]))
    assert.deepEqual(
      listed.map(({ row, owner }) => `${owner.project.slug}/${row.name}`),
      ['M-middle/m', 'Z-early/z', 'a-late/a-2', 'a-late/b'],
    )
    assert.deepEqual(await queries.listOn(new Set()), [])
  },
)

forEachDialect('every checkout among the paths is found, on its own Node only', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const queries = makeInstanceQueries(store)
  const [node, other] = [await addNode(store), await addNode(store)]
  const project_id = (await addProject(store)).id
  await addInstance(store, { project_id, node_id: node.id, name: 'outer', checkout_path: '/a' })
  await addInstance(store, { project_id, node_id: node.id, name: 'inner', checkout_path: '/a/b' })
  const containing = async (...[id, paths]: Parameters<typeof queries.findContaining>) =>
    (await queries.findContaining(id, paths)).map(({ name }) => name)
  assert.deepEqual(await containing(node.id, ['/a/b/c', '/a/b', '/a']), ['outer', 'inner'])
  assert.deepEqual(await containing(node.id, ['/a/x', '/a']), ['outer'])
  assert.deepEqual(await containing(other.id, ['/a']), [])
})

forEachDialect('counts and placements are numbers per Project and Node', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const queries = makeInstanceQueries(store)
  const [node, other] = [await addNode(store), await addNode(store)]
  const project = await addProject(store)
  const empty = await addProject(store)
  for (const [node_id, environment] of [
    [node.id, 'development'],
    [node.id, 'development'],
    [other.id, 'production'],
  ] as const) {
    await addInstance(store, { project_id: project.id, node_id, environment })
  }
  assert.deepEqual(await queries.developmentCounts(node.id), new Map([[project.id, 2]]))
  assert.deepEqual(await queries.developmentCounts(other.id), new Map())
  assert.deepEqual(await queries.nodeIdsOf(project.id), [node.id, other.id])
  assert.deepEqual(await queries.nodeIdsByProject(), new Map([[project.id, [node.id, other.id]]]))
  assert.equal(await queries.countOf(project.id), 3)
  assert.equal(await queries.countOf(empty.id), 0)
})

forEachDialect('a Node has the open transfers that lead to it or leave it', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const queries = makeInstanceQueries(store)
  const [from, to, other] = [await addNode(store), await addNode(store), await addNode(store)]
  const { id: project_id } = await addProject(store)
  for (const status of ['running', 'failed', 'completed', 'rolled_back'] as const)
    await addInstance(store, {
      project_id,
      node_id: from.id,
      name: status.replace('_', '-'),
      transfer: {
        operation_id: `transfer-${status}`,
        source_preparation_id: 'prepared',
        requested_name: null,
        source_node_id: from.id,
        source_path: '/srv/from',
        destination_node_id: to.id,
        destination_name: 'moved',
        destination_path: '/srv/to',
        destination_domain: 'moved.test',
        status,
        steps: {},
        failed_step: null,
        error_code: null,
        content_digest: null,
      },
    })
  await addInstance(store, { project_id, node_id: other.id, name: 'stays' })
  const counts = [from, to, other].map(async ({ id }) => (await queries.openTransfers(id)).length)
  assert.deepEqual(await Promise.all(counts), [2, 2, 0])
})

forEachDialect(
  'an Instance leaves from the acceptance of its removal, whatever becomes of it',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const queries = makeInstanceQueries(store)
    const { id: node_id } = await addNode(store)
    const { id: project_id } = await addProject(store)
    const add = async (name: string, removal_status?: 'removing' | 'failed') =>
      (await addInstance(store, { project_id, node_id, name, ...(removal_status && { removal_status }) })).id
    await add('stays')
    const leaving = [await add('goes', 'removing'), await add('hangs', 'failed')]
    assert.deepEqual(await queries.leaving(), new Set(leaving))
  },
)

forEachDialect('a removed row takes its stored environment with it', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const queries = makeInstanceQueries(store)
  const row = await addInstance(store, {
    project_id: (await addProject(store)).id,
    node_id: (await addNode(store)).id,
  })
  await store.db
    .insertInto('environment_values')
    .values({ instance_id: row.id, key: 'A', value: 'sealed', updated_at: row.created_at })
    .execute()
  await queries.remove(row.id)
  assert.deepEqual(await store.db.selectFrom('environment_values').selectAll().execute(), [])
})

forEachDialect(
  'clones and copies are unfinished until they have all of their source [INS-110]',
  async (dialect) => {
    await using store = await openTestStore({ dialect })
    const queries = makeInstanceQueries(store)
    const { id: node_id } = await addNode(store)
    const { id: project_id } = await addProject(store)
    const add = async (name: string, given: Partial<NewRow<'instances'>> = {}) =>
      (await addInstance(store, { project_id, node_id, name, ...given })).id
    const [from, other] = [await add('from'), await add('other')]
    const copyOf = (id: number, given: Partial<NewRow<'instances'>>): Partial<NewRow<'instances'>> => ({
      creation: 'copy',
      copy: { source: { id, name: 'from', path: '/srv/from', domain: null }, mode: null, shared: [] },
      ...given,
    })
    const pending = { database_pending: 'copy' } as const
    const unfinished = [
      await add('a-copy', copyOf(from, { status: 'reserved', ...pending })),
      await add('b-copy', copyOf(from, { status: 'active', ...pending })),
      await add('c-clone', { creation: 'clone', clone_candidate_id: from, status: 'source_resolved' }),
    ]
    await add('finished-copy', copyOf(from, { status: 'active' }))
    await add('finished-clone', { creation: 'clone', clone_candidate_id: from, status: 'active' })
    await add('leaving-copy', copyOf(from, { status: 'removing', ...pending }))
    await add('leaving-clone', { creation: 'clone', clone_candidate_id: from, status: 'removing' })
    await add('copy-of-another', copyOf(other, { status: 'reserved', ...pending }))
    const names = ['a-copy', 'b-copy', 'c-clone']
    const expected = unfinished.map((id, at) => ({ id, name: names[at] }))
    assert.deepEqual(await queries.unfinishedClonesOf(from), expected)
  },
)
