import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addInstance, addProject, addRoute, addTarget } from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
let refusals = 0
const at = { development: '', production: '' }
before(async () => {
  // A WebSocket server that is gone takes no event.
  const publish = async (): Promise<never> => {
    refusals += 1
    throw new Error('the WebSocket server is gone')
  }
  fleet = await startTestGateway({ feed: { isServed: async () => true, publish } })
  const project = (await addProject(fleet.store)).id
  const placed = { project_id: project, node_id: fleet.nodes.granted }
  at.development = `/api/v1/instances/${(await addInstance(fleet.store, placed)).id}`
  const live = { environment: 'production', production_user: 'shop', production_home: '/home/shop' } as const
  at.production = `/api/v1/instances/${(await addInstance(fleet.store, { ...placed, name: 'live', ...live })).id}`
})
after(() => fleet[Symbol.asyncDispose]())

const ask = (method: string, path: string, body?: unknown) =>
  fleet.ask(method, path, { from: 'granted', ...(body === undefined ? {} : { body }) })

test('a change that succeeded answers so although its event reached nobody [API-022]', async () => {
  const before = refusals
  const renamed = await fleet.ask('PATCH', `/api/v1/nodes/${fleet.nodes.ungranted}/name`, {
    from: 'ungranted',
    body: { name: 'renamed' },
  })
  assert.equal(renamed.status, 200)
  assert.ok(refusals > before)
  const shown = await fleet.ask('GET', `/api/v1/nodes/${fleet.nodes.ungranted}`, { from: 'ungranted' })
  assert.equal(shown.json.data.name, 'renamed')
})

test('a rename names at least one of branch and domain [INS-029]', async () => {
  const refused = await ask('POST', `${at.development}/rename`, {})
  assert.deepEqual([refused.status, refused.json.error.code], [422, 'validation.failed'])
  for (const given of [{ branch: 'a' }, { domain: 'a.example' }, { branch: 'a', domain: 'a.example' }]) {
    const answer = await ask('POST', `${at.development}/rename`, given)
    assert.notEqual(answer.json.error?.code, 'validation.failed', JSON.stringify(given))
  }
})

test('the deploy steps of a production Instance are listed, created, changed and deleted [INS-036]', async () => {
  const path = `${at.production}/deploy-steps`
  const names = async () =>
    (await ask('GET', path)).json.data.map(({ name, command }: { name: string; command: string }) => [
      name,
      command,
    ])
  const step = { name: 'build', command: 'npm run build', phase: 'before_activation', timeout_seconds: 60 }
  assert.equal((await ask('POST', path, step)).status, 201)
  assert.deepEqual(await names(), [['build', 'npm run build']])
  assert.equal((await ask('PATCH', `${path}/build`, { command: 'make' })).status, 200)
  assert.deepEqual(await names(), [['build', 'make']])
  assert.equal((await ask('DELETE', `${path}/build`)).status, 200)
  assert.deepEqual(await names(), [])
})

test('a value with a NUL or half a character has the code of every other bad value [ENV-075, ENV-078]', async () => {
  const project_id = (await addProject(fleet.store)).id
  const { id } = await addInstance(fleet.store, { project_id, node_id: fleet.nodes.granted })
  for (const [value, rule] of [
    ['a\0b', 'value_nul'],
    ['\ud800', 'value_encoding'],
  ] as const) {
    const { status, json } = await ask('PUT', `/api/v1/instances/${id}/environment/COLOUR`, { value })
    const { code, details } = json.error
    assert.deepEqual([status, code, details], [422, 'env.configuration_invalid', { key: 'COLOUR', rule }])
  }
  const named = await ask('PUT', `/api/v1/instances/${id}/environment/A%00B`, { value: 'a' })
  assert.deepEqual([named.status, named.json.error.code], [422, 'env.configuration_invalid'])
  const unnamed = await ask('PUT', `/api/v1/instances/${id}%00/environment/A`, { value: 'a' })
  assert.equal(unnamed.status, 404)
})

test('a domain of several Instances names none, and who may act on none of them does not learn of them [ENV-008, GW-008]', async () => {
  const placed = { project_id: (await addProject(fleet.store)).id, node_id: fleet.nodes.granted }
  const route = await addRoute(fleet.store, await addInstance(fleet.store, placed), { domain: 'pool.test' })
  await addTarget(fleet.store, route, (await addInstance(fleet.store, { ...placed, name: 'second' })).id, 2)
  const answer = async (from: 'granted' | 'ungranted') => {
    const { status, json } = await fleet.ask('GET', '/api/v1/instances/pool.test', { from })
    return [status, json.error.code]
  }
  assert.deepEqual(await answer('granted'), [409, 'env.target_ambiguous'])
  assert.deepEqual(await answer('ungranted'), [403, 'node_access.required'])
})

test('an Instance is named by its id or by the exact domain of a Route to it, in every interface [ENV-006]', async () => {
  const project_id = (await addProject(fleet.store)).id
  const instance = await addInstance(fleet.store, { project_id, node_id: fleet.nodes.granted })
  const id = instance.id
  await addRoute(fleet.store, instance, { domain: 'shop.named.test' })
  const byDomain = '/api/v1/instances/shop.named.test'
  const stored = await ask('PUT', `${byDomain}/environment/COLOUR`, { value: 'red' })
  assert.deepEqual([stored.status, stored.json.data.instance_id], [200, id])
  assert.equal((await ask('GET', byDomain)).json.data.id, id)
  const clone = { node_id: fleet.nodes.granted, name: 'live', preview_name: 'live' }
  const cloned = await ask('POST', `${byDomain}/clone`, clone)
  assert.deepEqual(cloned.json.error, {
    ...(await ask('POST', `/api/v1/instances/${id}/clone`, clone)).json.error,
    request_id: cloned.json.error.request_id,
  })
  const asTool = await ask('POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'env-update',
      arguments: { instance: 'shop.named.test', key: 'COLOUR', value: 'blue' },
    },
  })
  assert.equal(JSON.parse(asTool.json.result.content[0].text).data.instance_id, id)
  for (const unknown of ['other.named.test', 'shop.named.test.', '0', '01', '99999999999999999999'])
    assert.equal(
      (await ask('GET', `/api/v1/instances/${unknown}`)).json.error?.code,
      unknown === 'shop.named.test.' ? undefined : 'instance.not_found',
      unknown,
    )
})
