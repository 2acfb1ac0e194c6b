import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue, type Operation } from '@fleet/contract'
import { addDatabase, addInstance, addProject } from '@fleet/testing'
import { type From, startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
let instance = 0
let slug = ''
before(async () => {
  fleet = await startTestGateway()
  const project = await addProject(fleet.store)
  const row = { project_id: project.id, node_id: fleet.nodes.granted }
  slug = (await addDatabase(fleet.store)).slug
  instance = (await addInstance(fleet.store, row)).id
})
after(() => fleet[Symbol.asyncDispose]())

const send = ({ method, path }: Operation, from: From, body: unknown = {}) =>
  fleet.ask(
    method,
    `/api/v1${path.replace('{instance}', String(instance)).replace('{key}', 'NAME').replace('{slug}', slug)}`,
    {
      from,
      ...(method === 'GET' ? {} : { body }),
    },
  )

const isEnvironment = (name: string): boolean => name.startsWith('env:')

const onInstances = catalogue.filter(({ access }) => access === 'instanceNode')

for (const operation of onInstances)
  test(`${operation.name} needs a grant on the Node of the Instance, and the refusal names both Nodes [ACC-013]`, async () => {
    const { status, json } = await send(operation, 'ungranted', { surely_unknown: 1 })
    assert.deepEqual([status, json.error.code], [403, 'node_access.required'])
    assert.deepEqual(json.error.details.consumer_node, { id: fleet.nodes.ungranted, name: 'ungranted' })
    assert.deepEqual(json.error.details.serving_node, { id: fleet.nodes.granted, name: 'granted' })
  })

for (const operation of onInstances.filter(({ name, method }) => isEnvironment(name) && method !== 'GET'))
  test(`${operation.name} takes neither Node nor user, directory or file from its caller [ACC-014]`, async () => {
    const members = ['node_id', 'node', 'user', 'directory', 'path', 'file', 'checkout_path']
    const { status, json } = await send(
      operation,
      'granted',
      Object.fromEntries(members.map((name) => [name, 'x'])),
    )
    assert.deepEqual([status, json.error.code], [422, 'validation.failed'])
    for (const name of members) assert.ok(Object.hasOwn(json.error.details.errors, name), name)
  })

test('there are operations on the environment of an Instance to ask for', () => {
  assert.ok(onInstances.filter(({ name }) => isEnvironment(name)).length > 2)
})

// A registration is always on the Node of its caller.
const ELSEWHERE = {
  'instance:create': { path: '/instances', more: { project_id: 1, name: 'x' } },
  'instance:transfer': { path: '/instances/{instance}/transfer', more: {} },
  'instance:clone': { path: '/instances/{instance}/clone', more: { name: 'live', preview_name: 'p' } },
} as const

for (const [name, { path, more }] of Object.entries(ELSEWHERE))
  test(`${name} needs a grant on the Node that its body names too [INS-040]`, async () => {
    assert.ok(catalogue.some((operation) => operation.name === name))
    const ask = (node_id: number) =>
      fleet.ask('POST', `/api/v1${path.replace('{instance}', String(instance))}`, {
        from: 'granted',
        body: { node_id, ...more },
      })
    const { status, json } = await ask(fleet.nodes.ungranted)
    assert.deepEqual([status, json.error.code], [403, 'node_access.required'])
    assert.deepEqual(json.error.details.serving_node, { id: fleet.nodes.ungranted, name: 'ungranted' })
    assert.notEqual((await ask(fleet.nodes.granted)).status, 403)
  })

test('a copy needs a grant on the Node of its source before anything is said of the source [INS-040]', async () => {
  const { store, nodes } = fleet
  const { project_id } = await store.db
    .selectFrom('instances')
    .select('project_id')
    .where('id', '=', instance)
    .executeTakeFirstOrThrow()
  const other = await addProject(store)
  const hidden = await Promise.all(
    [project_id, other.id].map((of) => addInstance(store, { project_id: of, node_id: nodes.ungranted })),
  )
  for (const { id } of hidden) {
    const body = { project_id, node_id: nodes.granted, name: 'copy', source_instance_id: id }
    const { status, json } = await fleet.ask('POST', '/api/v1/instances', { from: 'granted', body })
    assert.deepEqual([status, json.error.code], [403, 'node_access.required'])
    assert.deepEqual(json.error.details, {
      consumer_node: { id: nodes.granted, name: 'granted' },
      serving_node: { id: nodes.ungranted, name: 'ungranted' },
    })
  }
})
