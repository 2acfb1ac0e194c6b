import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOperation } from '@fleet/contract'
import { accessOf, addInstance, addNode, addProject, openTestStore, testDomains } from '@fleet/testing'
import type { Store } from '@fleet/store'

const AT = '2026-01-02T03:04:05.000Z'
const DOMAIN = 'shop.example'

/** The Instance that an operation finds by what its path says. */
const foundBy = async (store: Store, name: string, instance: string): Promise<number | undefined> => {
  const operation = findOperation(name) ?? assert.fail(name)
  const { found } = await accessOf(testDomains({ store })).locate(operation, { path: { instance }, body: {} })
  return found?.instance?.id
}

/** An Instance, and a Route that leads to it. */
async function routed(store: Store) {
  const placed = { project_id: (await addProject(store)).id, node_id: (await addNode(store)).id }
  const { id } = await addInstance(store, placed)
  const route = await store.db
    .insertInto('routes')
    .values({
      ...placed,
      kind: 'app',
      domain: DOMAIN,
      provenance: 'explicit',
      publication: 'private',
      status: 'active',
      created_at: AT,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const lead = (instance_id: number, position: number) =>
    store.db.insertInto('route_targets').values({ route_id: route.id, instance_id, position }).execute()
  await lead(id, 1)
  return { id, lead, placed }
}

test('a domain names the Instance in a path, but an id alone names the one whose dependencies are meant [DEX-014]', async () => {
  await using store = await openTestStore()
  const { id } = await routed(store)
  assert.equal(await foundBy(store, 'env:sync', DOMAIN), id)
  for (const name of ['scan', 'show', 'update'].map((verb) => `instance:dependencies:${verb}`)) {
    assert.equal(await foundBy(store, name, String(id)), id)
    await assert.rejects(foundBy(store, name, DOMAIN), { code: 'instance.not_found', status: 404 })
  }
})

test('a domain that leads to several Instances names none of them for the environment [ENV-008]', async () => {
  await using store = await openTestStore()
  const { lead, placed } = await routed(store)
  await lead((await addInstance(store, { ...placed, name: 'second' })).id, 2)
  for (const name of ['env:update', 'env:import', 'env:sync'])
    await assert.rejects(foundBy(store, name, DOMAIN), { code: 'env.target_ambiguous', status: 409 })
})
