import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '@fleet/store'
import { addNode, fakeCall, localPool, mortalDomains, openTestStore, testDomains } from '@fleet/testing'
import { Died, type Moment, momentsOf } from '@fleet/testing/death'
import type { Domains } from '#/compose/api.ts'

type Work = (domains: Domains, node: Row<'nodes'>, other: Row<'nodes'>) => Promise<unknown>

const WORKS: Readonly<Record<string, Work>> = {
  'a new Cluster': ({ clusters }) =>
    clusters.handlers['cluster:create']({ call: fakeCall(), input: { name: 'berlin' } }),
  'a grant': ({ nodes }, { id: serving }, { id: consumer }) =>
    nodes.handlers['node:access:add']({ call: fakeCall(), input: { serving, consumer } }),
  'a new name': ({ nodes }, { id: node }) =>
    nodes.handlers['node:rename']({ call: fakeCall(), input: { node, name: 'renamed' } }),
}

const ssh = localPool({ home: '/nowhere' })

/** The work in a process that dies at the moment, then the identical request; what the store says at the end. */
async function diedAndRepeated(work: Work, moment?: Moment) {
  await using store = await openTestStore()
  const [node, other] = [await addNode(store, { name: 'one' }), await addNode(store, { name: 'two' })]
  const { mortal, domains } = mortalDomains({ store, ssh }, moment)
  if (moment) {
    await assert.rejects(work(domains, node, other), Died)
    await work(testDomains({ store, ssh }), node, other)
  } else await work(domains, node, other)
  const state = [
    await store.db.selectFrom('clusters').select('name').execute(),
    await store.db.selectFrom('node_grants').select(['consumer_node_id', 'serving_node_id']).execute(),
    await store.db.selectFrom('nodes').select('name').orderBy('id').execute(),
  ]
  return { state, moments: momentsOf(mortal) }
}

for (const [name, work] of Object.entries(WORKS))
  test(`${name}: wherever the process dies, the identical request ends as if it had lived`, async () => {
    const lived = await diedAndRepeated(work)
    assert.ok(lived.moments.length > 0, 'it writes something')
    for (const moment of lived.moments)
      assert.deepEqual((await diedAndRepeated(work, moment)).state, lived.state)
  })
