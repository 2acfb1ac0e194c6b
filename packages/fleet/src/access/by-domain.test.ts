import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation } from '@fleet/contract'
import {
  accessOf,
  addInstance,
  addNode,
  addProject,
  addRoute,
  addTarget,
  openTestStore,
  testDomains,
} from '@fleet/testing'
import type { Store } from '@fleet/store'

const DOMAIN = 'shop.example'

/** The Instance that an operation finds by what its path says, and the Nodes that its caller needs grants on. */
async function locate(store: Store, name: string, instance: string) {
  const operation = findOperation(name) ?? assert.fail(name)
  const { found, nodes, refusal } = await accessOf(testDomains({ store })).locate(operation, {
    path: { instance },
    body: {},
  })
  return { id: found?.instance?.id, nodes: nodes.map((node) => node.id), refusal }
}

test('a domain names the Instance in a path, but an id alone names the one whose dependencies are meant [DEX-014]', async () => {
  await using store = await openTestStore()
  const placed = { project_id: (await addProject(store)).id, node_id: (await addNode(store)).id }
  const instance = await addInstance(store, placed)
  await addRoute(store, instance)
  const { id } = instance
  assert.equal((await locate(store, 'env:sync', DOMAIN)).id, id)
  for (const name of ['scan', 'show', 'update'].map((verb) => `instance:dependencies:${verb}`)) {
    assert.equal((await locate(store, name, String(id))).id, id)
    await assert.rejects(locate(store, name, DOMAIN), { code: 'instance.not_found', status: 404 })
  }
})

test('a domain that leads to several Instances names none of them for the environment [ENV-008]', async () => {
  await using store = await openTestStore()
  const placed = { project_id: (await addProject(store)).id, node_id: (await addNode(store)).id }
  const route = await addRoute(store, await addInstance(store, placed))
  const second = await addInstance(store, { ...placed, node_id: (await addNode(store)).id, name: 'second' })
  await addTarget(store, route, second.id, 2)
  for (const name of ['env:update', 'env:import', 'env:sync']) {
    const { refusal, nodes } = await locate(store, name, DOMAIN)
    assert.deepEqual([refusal?.code, refusal?.status], ['env.target_ambiguous', 409])
    assert.deepEqual(nodes, [placed.node_id, second.node_id], 'who may act on neither does not learn of them')
  }
})

test('the environment is that of the Node of the Instance, wherever its Route is [INS-129]', async () => {
  await using store = await openTestStore()
  const [own, other] = [await addNode(store), await addNode(store)]
  const instance = await addInstance(store, {
    project_id: (await addProject(store)).id,
    node_id: own.id,
  })
  await addRoute(store, instance, { node_id: other.id })
  for (const name of ['env:update', 'env:import', 'env:sync'])
    assert.deepEqual((await locate(store, name, DOMAIN)).nodes, [own.id])
})
