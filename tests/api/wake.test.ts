import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addGrant, addInstance, addProject } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
let instance = 0
before(async () => {
  fleet = await startTestGateway()
  const project = await addProject(fleet.store)
  await addGrant(fleet.store, { id: fleet.nodes.granted }, { id: fleet.nodes.gateway })
  instance = (await addInstance(fleet.store, { project_id: project.id, node_id: fleet.nodes.gateway })).id
})
after(() => fleet[Symbol.asyncDispose]())

const path = (id: number): string => `/api/v1/runtime-activations/app-instance/${id}`

test('the Node of an Instance and those with a grant to it may ask for its wake, and no other [HIB-012]', async () => {
  for (const from of ['granted', 'gateway'] as const)
    assert.equal((await fleet.ask('GET', path(instance), { from })).status, 204, from)
  const { status, json } = await fleet.ask('GET', path(instance), { from: 'ungranted' })
  assert.deepEqual([status, json.error.code], [403, 'node_access.required'])
  assert.deepEqual(
    (await fleet.ask('GET', path(999), { from: 'gateway' })).json.error.code,
    'instance.not_found',
  )
})
