import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue, type ErrorCode, errorRegistry, route as routeSchema } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import type { NewRow, Store } from '@fleet/store'
import {
  addCluster,
  addGrant,
  addInstance,
  addNode,
  addProcess,
  addProject,
  addRoute,
  addTarget,
  scriptedPool,
  testDomains,
} from '@fleet/testing'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
/** A Node without any site: where there is one, a removal asks the web server before the Node. */
let bare: number
before(async () => {
  const ssh = scriptedPool()
  ssh.probeFailure = new SshFailure('unreachable', false)
  ssh.onRun = () => new SshFailure('unreachable', false)
  fleet = await startTestGateway({ ssh })
  const { gateway, granted, ungranted } = fleet.nodes
  bare = (await addNode(fleet.store, { name: 'bare', roles: ['app-dev'] })).id
  for (const id of [granted, ungranted, bare]) await addGrant(fleet.store, { id: gateway }, { id })
})
after(() => fleet[Symbol.asyncDispose]())

const at = (path: string): string => `/api/v1/routes${path}`

const ask = async (method: string, path: string, body?: unknown) => {
  const { status, json, text } = await fleet.ask(method, at(path), { body })
  return { status, code: json.error?.code, data: json.data, text }
}

let made = 0
/** A Route as a record, with an Instance that it leads to where it is one of those. */
async function stored(
  given: Partial<NewRow<'routes'>> = {},
  node_id = fleet.nodes.granted,
): Promise<{ id: number; projectId: number }> {
  made += 1
  const { id: project_id } = await addProject(fleet.store, { slug: `shop-${made}` })
  const instance = await addInstance(fleet.store, { project_id, node_id, name: 'one' })
  const { id } = await addRoute(fleet.store, instance, { domain: `r${made}.example`, ...given })
  if (given.kind !== undefined)
    await fleet.store.db.deleteFrom('route_targets').where('route_id', '=', id).execute()
  return { id, projectId: project_id }
}

const proxy = { kind: 'custom_proxy', project_id: null, upstream: 'http://127.0.0.1:8025' } as const

const MEMBERS = [
  'id',
  'kind',
  'project_id',
  'node_id',
  'cluster_id',
  'generation_basis_node_id',
  'domain',
  'web_root',
  'provenance',
  'publication',
  'status',
  'failed_step',
  'error_code',
  'replaces_route_id',
  'replaced_by_route_id',
  'replacement_step',
  'target_set_step',
  'target',
  'targets',
  'process_id',
  'upstream',
  'analytics_instance_id',
]

test('a Route is shown with these members and no others, whatever else is stored of it [RTE-008, RTE-024, RTX-017, RTX-020]', async () => {
  const app = await stored({ has_site: 1, has_name: 1, php_version: '8.2', edge_step: 'ingress-firewall' })
  const other = await stored(proxy)
  const shown = [await ask('GET', `/${app.id}`), await ask('GET', `/${other.id}`)].map(({ data }) => data)
  for (const data of shown) assert.deepEqual(Object.keys(data).toSorted(), MEMBERS.toSorted())
  const [first, second] = shown
  assert.deepEqual([first.kind, first.project_id, first.upstream], ['app', app.projectId, null])
  assert.deepEqual([second.kind, second.project_id, second.upstream], ['custom_proxy', null, proxy.upstream])
  assert.deepEqual([first.target, first.targets.length], [first.targets[0], 1])
  assert.deepEqual([second.target, second.targets], [null, []])
})

test('showing a public Route that is open to nobody says what it lacks; a list has the members of every Route alone', async () => {
  const { id } = await stored({ publication: 'public' })
  const { data } = await ask('GET', `/${id}`)
  assert.deepEqual(Object.keys(data).toSorted(), [...MEMBERS, 'publication_lacks'].toSorted())
  const list: ReadonlyArray<{ readonly id: number }> = (await ask('GET', '')).data
  const listed = list.find((route) => route.id === id)
  assert.deepEqual(Object.keys(listed ?? {}).toSorted(), MEMBERS.toSorted())
})

test('targets are ids and positions: where an Instance listens is in no answer [RTE-024, RTE-027, RTX-018]', async () => {
  const { store, nodes } = fleet
  const members = [{ id: nodes.granted }, { id: nodes.ungranted }]
  const cluster = await addCluster(store, { state: 'active' }, members)
  const { id, projectId } = await stored({ node_id: null, cluster_id: cluster.id })
  const second = await addInstance(store, { project_id: projectId, node_id: nodes.ungranted, name: 'two' })
  await addTarget(store, { id }, second.id, 2)
  await store.db.updateTable('nodes').set({ lan_ip: '192.168.7.7' }).where('id', '=', nodes.granted).execute()
  const [one, list] = [await ask('GET', `/${id}`), await ask('GET', '')]
  assert.deepEqual(
    one.data.targets.map((target: Record<string, unknown>) => [Object.keys(target), target['position']]),
    [
      [['id', 'instance_id', 'position'], 1],
      [['id', 'instance_id', 'position'], 2],
    ],
  )
  for (const { id: target, instance_id } of one.data.targets)
    assert.ok(Number.isInteger(target) && Number.isInteger(instance_id))
  assert.equal(one.data.targets[1].instance_id, second.id)
  assert.deepEqual(one.data.target, one.data.targets[0])
  for (const { text } of [one, list])
    for (const address of ['127.44.9.11', '127.44.9.12', '192.168.7.7']) assert.ok(!text.includes(address))
  await store.db.updateTable('nodes').set({ lan_ip: null, cluster_id: null }).execute()
})

test('every status is shown as it is, and there are five [RTE-018]', async () => {
  const statuses = ['pending', 'active', 'activating', 'retiring', 'failed'] as const
  assert.deepEqual([...routeSchema.shape.status.options].toSorted(), statuses.toSorted())
  for (const status of statuses) {
    const { id } = await stored({ status })
    assert.equal((await ask('GET', `/${id}`)).data.status, status)
  }
})

test('a kind does not change, and an id is a whole number from 1 [RTE-003, RTX-002]', async () => {
  const { id } = await stored()
  for (const body of [{ kind: 'custom_proxy' }, { kind: 'app' }, { publication: 'private', kind: 'app' }]) {
    const { status, code } = await ask('PATCH', `/${id}`, body)
    assert.deepEqual([status, code], [422, 'validation.failed'])
  }
  const shown = await ask('GET', `/${id}`)
  assert.deepEqual([shown.status, shown.data.id, shown.data.kind], [200, id, 'app'])
  for (const wrong of ['0', '-1', '1.5', 'x']) assert.equal((await ask('GET', `/${wrong}`)).status, 404)
})

test('there are seven operations, and a set of targets has no path of its own [RTX-007]', () => {
  const operations = catalogue.filter(({ group }) => group === 'Routes')
  assert.deepEqual(operations.map(({ name, method, path }) => `${name} ${method} ${path}`).toSorted(), [
    'route:create POST /routes',
    'route:destroy DELETE /routes/{route}',
    'route:list GET /routes',
    'route:show GET /routes/{route}',
    'route:target:set PUT /routes/{route}/target',
    'route:target:unset DELETE /routes/{route}/target',
    'route:update PATCH /routes/{route}',
  ])
})

test('a removal takes no body, an empty one, one with the id of the path, and `offline` [RTX-015]', async () => {
  const removed = async (body: (id: number) => unknown, query = '') => {
    const { id } = await stored(proxy, bare)
    await fleet.store.db.updateTable('routes').set({ status: 'failed' }).where('id', '=', id).execute()
    const { status, code } = await ask('DELETE', `/${id}${query}`, body(id))
    const isGone = (await ask('GET', `/${id}`)).status === 404
    return [status, code, isGone]
  }
  const silent = [502, 'route.node_unreachable', false]
  assert.deepEqual(await removed(() => undefined), silent)
  assert.deepEqual(await removed(() => ({})), silent)
  assert.deepEqual(await removed((id) => ({ route: id })), silent)
  assert.deepEqual(await removed((id) => ({ route: id, offline: true })), [200, undefined, true])
  assert.deepEqual(await removed(() => ({ offline: true })), [200, undefined, true])
  assert.deepEqual(await removed(() => undefined, '?offline=true'), [200, undefined, true])
  for (const body of [{ offline: 'perhaps' }, { other: 1 }, { route: 999_999 }, { route: null }])
    assert.deepEqual(await removed(() => body), [422, 'validation.failed', false])
})

test('a Route that tracks visits is not changed by operations on Routes [RTX-067]', async () => {
  const { id } = await stored({ kind: 'analytics_tracking' })
  const instance = await fleet.store.db.selectFrom('instances').select('id').executeTakeFirstOrThrow()
  for (const [method, path, body] of [
    ['PATCH', `/${id}`, { publication: 'public' }],
    ['PATCH', `/${id}`, { domain: 'other.example' }],
    ['PUT', `/${id}/target`, { instance_id: instance.id }],
    ['PUT', `/${id}/target`, { targets: [instance.id] }],
    ['DELETE', `/${id}/target`, undefined],
    ['DELETE', `/${id}`, { offline: true }],
  ] as const) {
    const { status, code } = await ask(method, path, body)
    assert.deepEqual([status, code], [409, 'route.kind_unsupported'], `${method} ${path}`)
  }
})

type Request = readonly [method: string, path: string, body: object]

/** A Process of a Node in a container. */
const addContainer = async (store: Store, node_id: number): Promise<number> => {
  const container = { image: 'mail:1', variables: [], volumes: [], ports: ['8025:80', '1025:25'] }
  const { id } = await addProcess(store, {
    node_id,
    name: `mail-${node_id}`,
    runtime: 'docker',
    runtime_config: { command: ['mail'], preset: null, container },
    restart_policy: 'always',
    desired_state: 'running',
  })
  return id
}

/** An explicit Route of a Cluster to one production Instance, and another Instance that could replace it. */
async function addPool() {
  const { store } = fleet
  const one = await addNode(store, { name: 'pool-1', roles: ['app-prod'], wireguard_ip: '10.44.0.81' })
  const two = await addNode(store, { name: 'pool-2', roles: ['app-prod'], wireguard_ip: '10.44.0.82' })
  const router = await addNode(store, { name: 'pool-3', roles: ['router'], wireguard_ip: '10.44.0.83' })
  const cluster = await addCluster(store, { state: 'active' }, [one, two, router])
  const { id: project_id } = await addProject(store, { slug: 'pooled', root: 'public' })
  const [first, second] = [
    await addInstance(store, { project_id, node_id: one.id, environment: 'production' }),
    await addInstance(store, { project_id, node_id: two.id, environment: 'production' }),
  ]
  const place = { node_id: null, cluster_id: cluster.id }
  const route = await addRoute(store, first, { domain: 'pool.example', ...place })
  for (const { id } of [one, two, router]) await addGrant(store, { id: fleet.nodes.gateway }, { id })
  return { route: route.id, first: first.id, second: second.id }
}

test('what a request says wrong is 422, and what a Route is like 409 [RTX-070]', async () => {
  const { granted } = fleet.nodes
  const create = (body: object): Request => ['POST', '', { domain: 'new.example', node_id: granted, ...body }]
  const upstream = proxy.upstream
  const app = await stored()
  const own = await stored({ ...proxy, domain: 'taken.example' })
  const pool = await addPool()
  const targets = (body: object): Request => ['PUT', `/${pool.route}/target`, body]
  const refused: Readonly<Partial<Record<ErrorCode, Request>>> = {
    'route.target_disposition_required': targets({ targets: [pool.second] }),
    'route.target_disposition_invalid': targets({
      targets: [pool.second],
      dispositions: [{ instance_id: pool.first }],
    }),
    'route.web_root_update_separate': ['PATCH', `/${app.id}`, { web_root: 'docs', publication: 'private' }],
    'route.domain_invalid': create({ domain: 'a b', upstream }),
    'route.scope_required': create({ node_id: undefined, upstream }),
    'route.upstream_invalid': create({ upstream: 'https://10.0.0.1' }),
    'route.kind_unsupported': ['PUT', `/${own.id}/target`, { instance_id: pool.first }],
    'route.pool_unsupported': ['PUT', `/${app.id}/target`, { targets: [pool.first] }],
    'route.target_conflict': targets({ targets: [pool.first, pool.first] }),
  }
  const statuses: Record<string, number> = {}
  for (const [expected, [method, path, body]] of Object.entries(refused)) {
    const { status, code } = await ask(method, path, body)
    assert.equal(code, expected, `${method} ${path} ${JSON.stringify(body)}`)
    statuses[expected] = status
  }
  const wrong: readonly string[] = [
    'route.target_disposition_required',
    'route.target_disposition_invalid',
    'route.web_root_update_separate',
    'route.domain_invalid',
    'route.scope_required',
    'route.upstream_invalid',
    'route.upstream_unresolved',
  ]
  const wanted = (code: string): number => (wrong.includes(code) ? 422 : 409)
  for (const [code, status] of Object.entries(statuses)) assert.equal(status, wanted(code), code)
  // The refusals that need a machine to come about are answered with what the registry says as well.
  for (const [code, { status }] of Object.entries(errorRegistry))
    if (code.startsWith('route.') && status < 500 && code !== 'route.not_found')
      assert.equal(status, wanted(code), code)
})

test('what a proxy is refused for in a private network is 409 [RTX-070]', async () => {
  const ssh = scriptedPool()
  ssh.onRun = () => new SshFailure('unreachable', false)
  await using own = await startTestGateway({ ssh })
  const { network } = testDomains({ store: own.store, ssh, clock: systemClock })
  await network.configure({ range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' })
  const { gateway, granted, ungranted, inactive } = own.nodes
  for (const id of [granted, ungranted, inactive]) await addGrant(own.store, { id: gateway }, { id })
  const { id: project_id } = await addProject(own.store, { slug: 'taken' })
  const instance = await addInstance(own.store, { project_id, node_id: granted, name: 'one' })
  await addRoute(own.store, instance, { ...proxy, domain: 'taken.example' })
  await own.store.db.deleteFrom('route_targets').execute()
  const { upstream } = proxy
  const refused: Readonly<Partial<Record<ErrorCode, object>>> = {
    'route.domain_conflict': { domain: 'taken.example', node_id: ungranted, upstream },
    'route.retry_conflict': { domain: 'taken.example', node_id: granted, upstream: 'http://127.0.0.1:9' },
    'route.process_conflict': { node_id: granted, process_id: await addContainer(own.store, ungranted) },
    'route.node_inactive': { node_id: inactive, upstream },
  }
  for (const [expected, body] of Object.entries(refused)) {
    const asked = { body: { domain: 'new.example', ...body } }
    const { status, json } = await own.ask('POST', at(''), asked)
    assert.deepEqual([status, json.error?.code], [409, expected])
  }
})
