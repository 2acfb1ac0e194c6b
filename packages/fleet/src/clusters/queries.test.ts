import assert from 'node:assert/strict'
import type { Row } from '@fleet/store'
import { addCluster, addNode, addRole, forEachDialect, openTestStore } from '@fleet/testing'
import * as queries from '#/clusters/queries.ts'

const AT = '2026-01-02T03:04:05.000Z'

forEachDialect('Clusters and members are listed by name in byte order', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const nodes = []
  for (const name of ['b', 'Z', 'a']) nodes.push(await addNode(store, { name }))
  await addNode(store, { name: 'alone' })
  const full = await addCluster(store, { name: 'berlin' }, nodes)
  await addCluster(store, { name: 'Zagreb' })
  const listed = await queries.listClusters(store.db)
  assert.deepEqual(
    listed.map(({ name, members }) => [name, members.map((member) => member.name)]),
    [
      ['Zagreb', []],
      ['berlin', ['Z', 'a', 'b']],
    ],
  )
  assert.deepEqual(await queries.findCluster(store.db, full.id), listed[1])
  assert.deepEqual(await queries.findClusterByName(store.db, 'berlin'), listed[1])
})

forEachDialect('a member is one row whatever roles it has', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const node = await addNode(store, { roles: ['app-prod', 'ingress', 'metrics'] })
  await addRole(store, { node_id: node.id, role: 'router', status: 'removing' })
  const { members } = (await queries.findCluster(store.db, (await addCluster(store, {}, [node])).id)) ?? {}
  assert.deepEqual(
    members?.map(({ id, routerStatus, hasIngress }) => [id, routerStatus, hasIngress]),
    [[node.id, 'removing', true]],
  )
})

forEachDialect('names and top-level domains are unique, and many Clusters have none', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const insert = (name: string, tld: string | null) =>
    queries.insertCluster(store.db, { name, tld, state: 'inactive', created_at: AT })
  for (const name of ['a', 'b']) assert.equal((await insert(name, null))?.name, name)
  assert.equal((await insert('c', 'c'))?.tld, 'c')
  for (const [name, tld] of [
    ['a', null],
    ['d', 'c'],
  ] as const)
    assert.equal(await insert(name, tld), undefined)
})

forEachDialect('a foreign owner is a Node elsewhere or nowhere with the very name', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const [cluster, other] = [await addCluster(store), await addCluster(store)]
  await addNode(store, { tld: 'b', cluster_id: cluster.id })
  await addNode(store, { tld: 'sub.b' })
  const owner = () => queries.findForeignOwner(store.db, cluster.id, 'b')
  assert.equal(await owner(), undefined)
  const elsewhere = await addNode(store, { tld: 'b', cluster_id: other.id })
  assert.equal((await owner())?.id, elsewhere.id)
  await store.db.deleteFrom('nodes').where('id', '=', elsewhere.id).execute()
  const alone = await addNode(store, { tld: 'b' })
  assert.deepEqual(await owner(), { id: alone.id, name: alone.name })
})

forEachDialect('a Node joins from nowhere and leaves only where it is', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const node = await addNode(store)
  const [first, second] = [await addCluster(store), await addCluster(store)]
  const clusterId = async () => (await queries.findMemberNode(store.db, node.id))?.cluster_id
  assert.equal(await queries.joinCluster(store.db, 99, first.id), false)
  assert.equal(await queries.joinCluster(store.db, node.id, first.id), true)
  assert.equal(await queries.joinCluster(store.db, node.id, second.id), false)
  await queries.leaveCluster(store.db, node.id, second.id)
  assert.equal(await clusterId(), first.id)
  await queries.leaveCluster(store.db, node.id, first.id)
  assert.equal(await clusterId(), null)
})

forEachDialect('a router role is stored once for a Node and forgets an earlier failure', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const node = await addNode(store)
  const put = (status: Row<'node_roles'>['status'], failed_step?: string) =>
    queries.putRouterRole(store.db, node.id, {
      status,
      created_at: AT,
      ...(failed_step === undefined ? {} : { failed_step, error_code: 'node.unreachable' }),
    })
  const rows = () =>
    store.db
      .selectFrom('node_roles')
      .select(['role', 'status', 'failed_step', 'error_code'])
      .where('node_id', '=', node.id)
      .orderBy('role')
      .execute()
  const own = { role: 'app-dev', status: 'active', failed_step: null, error_code: null }
  await put('failed', 'converge:sites')
  const failed = { status: 'failed', failed_step: 'converge:sites', error_code: 'node.unreachable' }
  assert.deepEqual(await rows(), [own, { role: 'router', ...failed }])
  await put('active')
  assert.deepEqual(await rows(), [own, { ...own, role: 'router' }])
  await queries.deleteRouterRole(store.db, node.id)
  assert.deepEqual(await rows(), [own])
})
