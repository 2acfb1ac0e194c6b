import assert from 'node:assert/strict'
import { catalogue, decodeText, findOperation, id as nodeId, type NodeIdentity } from '@fleet/contract'
import { test } from 'node:test'
import {
  accessOf,
  addCluster,
  addGatewayNode,
  addGrant,
  addInstance,
  addNode,
  addProject,
  addRoute,
  asCaller,
  forEachDialect,
  openTestStore,
  startNodesFleet,
  testDomains,
} from '@fleet/testing'
import type { Row } from '@fleet/store'

test('every text that an operation takes as the Node of its query is one whose grant is asked for [ACC-003]', async () => {
  await using store = await openTestStore()
  const access = accessOf(testDomains({ store }))
  const { id, name } = await addNode(store)
  const operations = catalogue.filter((operation) => operation.access === 'queryNode')
  assert.notEqual(operations.length, 0)
  for (const operation of operations)
    for (const text of [
      `${id}`,
      `0${id}`,
      `00${id}`,
      `+${id}`,
      ` ${id}`,
      `${id}.0`,
      '',
      '0',
      '-1',
      '9'.repeat(16),
    ]) {
      const { success, data } = operation.input.safeParse({ node_id: decodeText(nodeId, text) })
      const locate = access.locate(operation, { path: {}, query: { node_id: text }, body: {} })
      const nodes = success && data['node_id'] === id ? [{ id, name }] : []
      assert.deepEqual((await locate).nodes, nodes, `${operation.name} ${text}`)
    }
})

forEachDialect(
  'a Route of a Cluster without members needs the grant on the gateway Node, also to lead it to an Instance of the caller [CLU-011, ACC-013]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const { store } = fleet
    const [holder, stranger] = [await addNode(store), await addNode(store)]
    const { id: project_id } = await addProject(store)
    const { id: cluster_id } = await addCluster(store)
    const instance = await addInstance(store, { project_id, node_id: stranger.id })
    const { id } = await addRoute(store, instance, { node_id: null, cluster_id, status: 'pending' })
    const access = accessOf(fleet.domains)
    const ask = async (name: string, caller: Row<'nodes'>): Promise<void> => {
      const operation = findOperation(name) ?? assert.fail(name)
      const path = { route: String(id) }
      const located = await access.locate(operation, { path, body: { instance_id: instance.id } })
      await access.authorize(operation, asCaller(caller), located)
    }
    const required = (serving_node: NodeIdentity | null) => ({
      code: 'node_access.required',
      details: { consumer_node: { id: stranger.id, name: stranger.name }, serving_node },
    })
    const names = ['route:show', 'route:update', 'route:destroy', 'route:target:unset', 'route:target:set']
    for (const name of names) await assert.rejects(ask(name, stranger), required(null))
    const gateway = await addGatewayNode(store)
    await addGrant(store, holder, gateway)
    await addGrant(store, holder, stranger)
    for (const name of names) {
      await assert.rejects(ask(name, stranger), required({ id: gateway.id, name: gateway.name }))
      await ask(name, holder)
    }
  },
)
