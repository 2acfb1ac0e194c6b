import assert from 'node:assert/strict'
import { catalogue, findOperation, type Operation, pathParams } from '@fleet/contract'
import { test } from 'node:test'
import {
  accessOf,
  addActivity,
  addDeployment,
  addCluster,
  addDatabase,
  addGatewayNode,
  addGrant,
  addInstance,
  addNode,
  addProject,
  addRoute,
  addStep,
  asCaller,
  fakeCall,
  forEachDialect,
  openTestStore,
  testDomains,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'
import type { Row, Store } from '@fleet/store'
import { pathId } from '#/path-id.ts'
import type { RawRequest } from '#/handler.ts'

type NodeRow = Row<'nodes'>

const named = (name: string): Operation => findOperation(name) ?? assert.fail(name)

/** Identity, record and grant, as the HTTP layer asks for them. */
async function pass(
  fleet: NodesFleet,
  name: string,
  caller: NodeRow,
  path: RawRequest['path'] = {},
  body: RawRequest['body'] = {},
) {
  const access = accessOf(fleet.domains)
  const operation = named(name)
  const identity = await access.identify(operation.access, caller.wireguard_ip ?? '')
  const { found: _, ...located } = await access.locate(operation, { path, body })
  await access.authorize(operation, identity, located)
  return located
}

const required = (consumer: NodeRow, serving: { readonly id: number; readonly name: string } | null) => ({
  code: 'node_access.required',
  status: 403,
  details: {
    consumer_node: { id: consumer.id, name: consumer.name },
    serving_node: serving && { id: serving.id, name: serving.name },
  },
})

test('a Route for an Instance belongs to its Node; for one that does not exist to none, and the operation answers', async () => {
  await using store = await openTestStore()
  const domains = testDomains({ store })
  const project = await addProject(store)
  const node = await addNode(store)
  const { id } = await addInstance(store, { project_id: project.id, node_id: node.id })
  const locate = async (instance_id: number) =>
    (await accessOf(domains).locate(named('route:create'), { path: {}, body: { instance_id } })).nodes
  assert.deepEqual(await locate(id), [{ id: node.id, name: node.name }])
  assert.deepEqual(await locate(999), [])
})

test('a Route for an Instance in an active Cluster concerns every member, which is asked for whoever shows or changes it afterwards too [ACC-013]', async () => {
  await using store = await openTestStore()
  const domains = testDomains({ store })
  const project = await addProject(store)
  const [node, router] = [await addNode(store), await addNode(store)]
  const { id: instance_id } = await addInstance(store, { project_id: project.id, node_id: node.id })
  const { id: clusterId } = await addCluster(store, { state: 'inactive' }, [node, router])
  const { locate, authorize } = accessOf(domains)
  const operation = named('route:create')
  const create = async () => {
    const located = await locate(operation, { path: {}, body: { instance_id } })
    await authorize(operation, asCaller(node), located)
    return located.nodes.map(({ id }) => id)
  }
  assert.deepEqual(await create(), [node.id])
  await store.db.updateTable('clusters').set({ state: 'active' }).where('id', '=', clusterId).execute()
  await assert.rejects(create, required(node, router))
  await addGrant(store, node, router)
  assert.deepEqual(await create(), [node.id, router.id])
})

test('a Route that is led to an Instance concerns the Nodes of both, and the active Cluster of the Instance [ACC-013]', async () => {
  await using store = await openTestStore()
  const domains = testDomains({ store })
  const project = await addProject(store)
  const [own, other] = [await addNode(store), await addNode(store)]
  const instance = await addInstance(store, { project_id: project.id, node_id: other.id })
  const { id } = instance
  const route = await addRoute(store, instance, { node_id: own.id, status: 'pending' })
  const locate = async (instance_id: unknown, targets?: unknown) => {
    const body = targets === undefined ? { instance_id } : { targets }
    const given = { path: { route: String(route.id) }, body }
    const { nodes } = await accessOf(domains).locate(named('route:target:set'), given)
    return nodes.map((node) => node.id)
  }
  assert.deepEqual(await locate(id), [own.id, other.id])
  assert.deepEqual(await locate(999), [own.id])
  assert.deepEqual(await locate('x'), [own.id])
  assert.deepEqual(await locate(undefined, [999, id, 'x', id]), [own.id, other.id])
  assert.deepEqual(await locate(undefined, 'all'), [own.id])
  const router = await addNode(store)
  const cluster = await addCluster(store, { state: 'inactive' }, [other, router])
  assert.deepEqual(await locate(id), [own.id, other.id], 'each Node of an inactive Cluster serves its own')
  await store.db.updateTable('clusters').set({ state: 'active' }).where('id', '=', cluster.id).execute()
  for (const nodes of [await locate(id), await locate(undefined, [id])])
    assert.deepEqual(nodes, [own.id, other.id, router.id], 'the Router of an active Cluster serves it')
})

forEachDialect(
  'a gateway Node that is not active takes part in nothing, whoever holds a grant on it [GW-005]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const gateway = await addGatewayNode(fleet.store)
    const holder = await addNode(fleet.store)
    await addGrant(fleet.store, holder, gateway)
    const path = { node: String(gateway.id) }
    await pass(fleet, 'node:rename', holder, path)
    await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', gateway.id).execute()
    for (const name of ['node:rename', 'node:show'])
      await assert.rejects(pass(fleet, name, holder, path), { code: 'node_access.required' })
    await assert.rejects(pass(fleet, 'node:show', gateway, path), { code: 'peer.identity_unknown' })
    const { data } = await fleet.nodes.handlers['node:list']({
      call: fakeCall({ caller: asCaller(holder) }),
      input: {},
    })
    assert.deepEqual(
      data.map(({ id }) => id),
      [holder.id],
    )
  },
)

forEachDialect(
  'only the address of an active Node is an identity; public operations ask for none [GW-004, GW-005, GW-006]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const access = accessOf(fleet.domains)
    const [node, failed] = [
      await addNode(fleet.store),
      await addGatewayNode(fleet.store, { status: 'failed' }),
    ]
    const identity = await access.identify('peer', node.wireguard_ip ?? '')
    assert.deepEqual(identity, { id: node.id, name: node.name, address: node.wireguard_ip, isGateway: false })
    for (const address of ['', '10.255.255.255', failed.wireguard_ip ?? '']) {
      await assert.rejects(access.identify('peer', address), { code: 'peer.identity_unknown', status: 403 })
      assert.equal(await access.identify('public', address), undefined)
    }
  },
)

forEachDialect(
  'a Node acts on itself without a grant and on others with one, which names both when it lacks [GW-007, GW-008, GRANT-001, GRANT-007]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [own, other] = [await addNode(fleet.store), await addNode(fleet.store)]
    const at = (node: NodeRow) => ({ node: String(node.id) })
    assert.deepEqual(await pass(fleet, 'node:show', own, at(own)), {
      nodes: [{ id: own.id, name: own.name }],
      subject: { type: 'node', id: own.id },
    })
    await assert.rejects(pass(fleet, 'node:show', own, at(other)), required(own, other))
    const grant = { serving: String(other.id), consumer: String(own.id) }
    await assert.rejects(pass(fleet, 'node:access:add', own, grant), required(own, other))
    await addGrant(fleet.store, own, other)
    await pass(fleet, 'node:show', own, at(other))
    await pass(fleet, 'node:access:remove', own, grant)
    await assert.rejects(pass(fleet, 'node:show', other, at(own)), required(other, own))
  },
)

forEachDialect(
  'who may act on the gateway Node may give and take grants on any Node, such as one just enrolled [GRANT-007]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, operator, fresh] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    const grant = { serving: String(fresh.id), consumer: String(operator.id) }
    await assert.rejects(pass(fleet, 'node:access:add', operator, grant), required(operator, fresh))
    await addGrant(fleet.store, operator, gateway)
    await pass(fleet, 'node:access:add', operator, grant)
    await pass(fleet, 'node:access:remove', operator, grant)
    await pass(fleet, 'node:access:add', gateway, grant)
    await assert.rejects(
      pass(fleet, 'node:show', operator, { node: String(fresh.id) }),
      required(operator, fresh),
    )
  },
)

forEachDialect(
  'a grant on the gateway Node counts while that Node is active, for itself too [GW-005, PRJ-031]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, node, holder] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    await addGrant(fleet.store, holder, gateway)
    await pass(fleet, 'project:create', gateway)
    await pass(fleet, 'project:create', holder)
    await assert.rejects(pass(fleet, 'project:create', node), required(node, gateway))
    await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', gateway.id).execute()
    await assert.rejects(pass(fleet, 'project:create', gateway), { code: 'peer.identity_unknown' })
    await assert.rejects(pass(fleet, 'project:create', holder), required(holder, null))
  },
)

forEachDialect('the Node of a body is known, granted, or left to the input check', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const [own, other] = [await addNode(fleet.store), await addNode(fleet.store)]
  const body = (node_id: unknown) => pass(fleet, 'instance:create', own, {}, { node_id })
  assert.deepEqual((await body(own.id)).nodes, [{ id: own.id, name: own.name }])
  await assert.rejects(body(other.id), required(own, other))
  await assert.rejects(body(99), { code: 'node.not_found', status: 404 })
  for (const wrong of [undefined, null, String(other.id), 1.5, [other.id], {}])
    assert.deepEqual((await body(wrong)).nodes, [])
})

forEachDialect('an Instance is found by its id alone, and its Node must be granted', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const [own, other] = [await addNode(fleet.store), await addNode(fleet.store)]
  const project = await addProject(fleet.store)
  const instance = await addInstance(fleet.store, { project_id: project.id, node_id: own.id })
  const at = (text: string | number) => ({ instance: String(text) })
  const located = {
    nodes: [{ id: own.id, name: own.name }],
    subject: { type: 'instance', id: instance.id },
  }
  assert.deepEqual(await pass(fleet, 'instance:show', own, at(instance.id)), located)
  for (const name of ['instance:show', 'env:sync'])
    await assert.rejects(pass(fleet, name, own, at('shop.example')), { code: 'instance.not_found' })
  await assert.rejects(pass(fleet, 'env:sync', other, at(instance.id)), required(other, own))
})

forEachDialect(
  'a role that the whole fleet has is given and taken with a grant on the gateway Node, and moved with one on each Node that has or had it [GRANT-001, ACC-003, ACC-005]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, own, holder, former] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store, { roles: ['websocket'] }),
      await addNode(fleet.store),
    ]
    const node = { node: String(own.id) }
    const add = (role: string) => pass(fleet, 'node:role:add', own, node, { role })
    const remove = (role: string) => pass(fleet, 'node:role:remove', own, { ...node, role })
    const move = (role: string, from?: number) =>
      pass(fleet, 'node:role:relocate', own, { ...node, role }, { from })
    for (const role of ['gateway', 'websocket', 'metrics'])
      for (const change of [add, remove, move]) await assert.rejects(change(role), required(own, gateway))
    for (const role of ['app-dev', 'app-prod', 'database', 'analytics', 'nothing'])
      for (const change of [add, remove, move])
        assert.deepEqual((await change(role)).nodes, [{ id: own.id, name: own.name }])
    await addGrant(fleet.store, own, gateway)
    await add('websocket')
    await remove('websocket')
    await move('gateway')
    await assert.rejects(move('websocket'), required(own, holder))
    await addGrant(fleet.store, own, holder)
    assert.deepEqual((await move('websocket')).subject, { type: 'node', id: own.id })
    await assert.rejects(move('websocket', former.id), required(own, former))
    for (const odd of [0, -1, 1.5, 9999]) await move('websocket', odd)
    await fleet.store.db
      .updateTable('node_roles')
      .set({ status: 'removing' })
      .where('node_id', '=', holder.id)
      .execute()
    await fleet.store.db.deleteFrom('node_grants').where('serving_node_id', '=', holder.id).execute()
    await assert.rejects(move('websocket'), required(own, holder))
  },
)

forEachDialect(
  'a gateway role that failed is converged by the Node that has it, and where none has it nobody gives a role of the whole fleet [GW-005, GW-007]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, own] = [await addGatewayNode(fleet.store), await addNode(fleet.store)]
    const add = (caller: NodeRow) =>
      pass(fleet, 'node:role:add', caller, { node: String(caller.id) }, { role: 'gateway' })
    await fleet.store.db.updateTable('node_roles').set({ status: 'failed' }).execute()
    await assert.rejects(add(own), required(own, gateway))
    await add(gateway)
    await fleet.store.db.deleteFrom('node_roles').execute()
    for (const caller of [own, gateway]) await assert.rejects(add(caller), required(caller, null))
    const path = { node: String(own.id), role: 'gateway' }
    await assert.rejects(
      pass(fleet, 'node:role:relocate', own, path, { from: gateway.id }),
      required(own, null),
    )
  },
)

forEachDialect(
  'the public edge of a Cluster is given and taken with a grant on each of its members [CLU-011]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [own, other] = [await addNode(fleet.store), await addNode(fleet.store)]
    const node = { node: String(own.id) }
    const changes = [
      () => pass(fleet, 'node:role:add', own, node, { role: 'ingress' }),
      () => pass(fleet, 'node:role:remove', own, { ...node, role: 'ingress' }),
    ]
    for (const change of changes) await change()
    await addCluster(fleet.store, {}, [own, other])
    for (const change of changes) await assert.rejects(change(), required(own, other))
    await addGrant(fleet.store, own, other)
    for (const change of changes) assert.deepEqual((await change()).nodes.length, 2)
  },
)

forEachDialect(
  'a Cluster needs grants on all its members, or on the gateway Node when it has none, and on the Node that joins [CLU-011]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, own, other, joining] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    const full = await addCluster(fleet.store, {}, [own, other])
    const empty = await addCluster(fleet.store)
    const show = (caller: NodeRow, id: number) => pass(fleet, 'cluster:show', caller, { cluster: String(id) })
    const attach = (caller: NodeRow, id: number, node = joining) =>
      pass(fleet, 'cluster:node:attach', caller, { cluster: String(id), node: String(node.id) })
    await assert.rejects(show(own, full.id), required(own, other))
    await assert.rejects(show(gateway, full.id), { code: 'node_access.required' })
    await addGrant(fleet.store, own, other)
    assert.deepEqual((await show(own, full.id)).subject, { type: 'cluster', id: full.id })
    await assert.rejects(attach(own, full.id), required(own, joining))
    assert.equal((await attach(own, full.id, other)).nodes.length, 2)
    await addGrant(fleet.store, own, joining)
    await attach(own, full.id)
    await assert.rejects(show(own, empty.id), required(own, gateway))
    await assert.rejects(attach(joining, empty.id), required(joining, gateway))
    await show(gateway, empty.id)
    await assert.rejects(attach(gateway, empty.id), required(gateway, joining))
    await fleet.store.db.updateTable('nodes').set({ status: 'failed' }).where('id', '=', gateway.id).execute()
    await assert.rejects(attach(joining, empty.id), required(joining, null))
  },
)

forEachDialect(
  'steps need one Node of the Project, or the gateway Node when it runs nowhere [PRJ-063]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, holder, own, other] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    await addGrant(fleet.store, holder, gateway)
    const project = await addProject(fleet.store)
    const list = (caller: NodeRow) =>
      pass(fleet, 'project:setup-step:list', caller, { project: String(project.id) })
    await list(holder)
    await list(gateway)
    await assert.rejects(list(own), required(own, gateway))
    await addInstance(fleet.store, { project_id: project.id, node_id: other.id })
    await addInstance(fleet.store, { project_id: project.id, node_id: own.id })
    await list(own)
    await assert.rejects(list(holder), { code: 'node_access.required' })
    await assert.rejects(list(gateway), { code: 'node_access.required' })
  },
)

forEachDialect(
  'without an active gateway nobody reaches the steps of a Project that runs nowhere [GW-005, PRJ-063]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store)
    const project = await addProject(fleet.store)
    const listed = pass(fleet, 'project:setup-step:list', node, { project: String(project.id) })
    await assert.rejects(listed, required(node, null))
  },
)

forEachDialect(
  'a Project is shown to who may address one of its Nodes, to a gateway grant, and to all while it runs nowhere [PRJ-031]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, own, other] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    const project = await addProject(fleet.store)
    const show = (caller: NodeRow) => pass(fleet, 'project:show', caller, { project: String(project.id) })
    await show(other)
    await addInstance(fleet.store, { project_id: project.id, node_id: own.id })
    await show(own)
    await show(gateway)
    await assert.rejects(show(other), required(other, own))
  },
)

forEachDialect(
  'an Activity is shown to who may address its caller or target, and to a gateway grant [ACT-009]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [gateway, own, other] = [
      await addGatewayNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    const show = async (caller: NodeRow, given: Parameters<typeof addActivity>[1]) =>
      pass(fleet, 'activity:show', caller, { activity: String((await addActivity(fleet.store, given)).id) })
    await show(own, { caller_node_id: own.id, target_node_id: other.id })
    await show(own, { caller_node_id: other.id, target_node_id: own.id })
    await show(gateway, { caller_node_id: other.id })
    await show(gateway, {})
    await assert.rejects(
      show(own, { caller_node_id: other.id, target_node_id: other.id }),
      required(own, other),
    )
    await assert.rejects(show(own, {}), required(own, gateway))
    // The history outlives the Nodes it names.
    await assert.rejects(show(own, { caller_node_id: 999, target_node_id: 998 }), required(own, gateway))
  },
)

const addRule = (store: Store, node_id: number) =>
  store.db
    .insertInto('firewall_rules')
    .values({
      node_id,
      name: 'web',
      action: 'allow',
      source: 'any',
      protocol: 'tcp',
      port: '443',
      status: 'active',
      created_at: '2026-01-02T03:04:05.000Z',
    })
    .execute()

test('a firewall rule that the Node does not have is missing before any grant is asked for', async () => {
  await using fleet = await startNodesFleet()
  const [caller, node] = [await addNode(fleet.store), await addNode(fleet.store)]
  await addRule(fleet.store, node.id)
  const path = { node: String(node.id) }
  const remove = (name: string) => pass(fleet, 'node:firewall:remove', caller, { ...path, name })
  await assert.rejects(remove('other'), { code: 'firewall.not_found', status: 404 })
  await assert.rejects(remove('web'), required(caller, node))
})

test('a name below a Node is a firewall rule nowhere but in its list of rules', async () => {
  await using fleet = await startNodesFleet()
  const node = await addNode(fleet.store)
  const remove = named('node:firewall:remove')
  const elsewhere = { ...remove, path: '/nodes/{node}/volumes/{name}' }
  const given = { path: { node: String(node.id), name: 'other' }, body: {} }
  await accessOf(fleet.domains).locate(elsewhere, given)
  await assert.rejects(accessOf(fleet.domains).locate(remove, given), { code: 'firewall.not_found' })
})

test('the records of a path are found once and handed on, each under the name of its parameter', async () => {
  await using fleet = await startNodesFleet()
  const [node, project] = [await addNode(fleet.store), await addProject(fleet.store)]
  await addRule(fleet.store, node.id)
  const step = await addStep(fleet.store, { project_id: project.id, position: 1 })
  const found = async (name: string, path: RawRequest['path']) =>
    (await accessOf(fleet.domains).locate(named(name), { path, body: {} })).found
  const rule = await found('node:firewall:remove', { node: String(node.id), name: 'web' })
  assert.deepEqual([rule?.node?.id, rule?.name?.name], [node.id, 'web'])
  const steps = await found('project:setup-step:update', { project: String(project.id), step: step.name })
  assert.deepEqual([steps?.project?.slug, steps?.step?.command], [project.slug, step.command])
  await assert.rejects(
    found('project:teardown-step:update', { project: String(project.id), step: step.name }),
    { code: 'lifecycle_step.not_found' },
  )
})

const ID_PARAMS = new Set([
  'cluster',
  'node',
  'serving',
  'consumer',
  'project',
  'instance',
  'activity',
  'deployment',
])

for (const operation of catalogue.filter(
  ({ access, path }) => access !== 'peer' && pathParams(path).some((param) => ID_PARAMS.has(param)),
)) {
  test(`${operation.name} refuses each id that names no record, before any grant is asked for`, async () => {
    await using fleet = await startNodesFleet()
    const [node, project] = [await addNode(fleet.store), await addProject(fleet.store)]
    const instance = await addInstance(fleet.store, { project_id: project.id, node_id: node.id })
    const activity = await addActivity(fleet.store)
    const cluster = await addCluster(fleet.store, {}, [node])
    const known = {
      cluster: cluster.id,
      node: node.id,
      serving: node.id,
      consumer: node.id,
      project: project.id,
      instance: instance.id,
      activity: activity.id,
      deployment: (await addDeployment(fleet.store, instance.id)).id,
    }
    await addRule(fleet.store, node.id)
    await addStep(fleet.store, { project_id: project.id, position: 1, list: 'setup', name: 'build' })
    await addStep(fleet.store, { project_id: project.id, position: 1, list: 'teardown', name: 'build' })
    await addStep(fleet.store, { project_id: project.id, position: 1, list: 'dev-deploy', name: 'build' })
    const { slug } = await addDatabase(fleet.store)
    await fleet.store.db
      .insertInto('project_definitions')
      .values(
        (['process', 'schedule'] as const).map((kind, index) => ({
          id: `00000000-0000-4000-8000-00000000000${index}`,
          project_id: project.id,
          kind,
          name: 'web',
          environments: ['production' as const],
          spec: {},
          created_at: '2026-01-02T03:04:05.000Z',
        })),
      )
      .execute()
    const ids = Object.entries(known).map(([name, id]) => [name, String(id)] as const)
    const path: Readonly<Record<string, string>> = {
      ...Object.fromEntries(ids),
      name: 'web',
      step: 'build',
      slug,
    }
    const params = pathParams(operation.path)
    const complete = Object.fromEntries(params.map((param) => [param, path[param] ?? 'x']))
    const access = accessOf(fleet.domains)
    await access.locate(operation, { path: complete, body: {} })
    const codes: Readonly<Record<string, string | undefined>> = operation.unknown
    for (const param of params.filter((name) => ID_PARAMS.has(name))) {
      for (const text of ['99', '0', '-1', '1.0', '01', 'x', '', '1e0', '9'.repeat(17), ' 1']) {
        const located = access.locate(operation, { path: { ...complete, [param]: text }, body: {} })
        await assert.rejects(located, { code: codes[param], status: 404 }, `${param}=${text}`)
      }
    }
  })
}

test('an id in a path is a positive whole number in its one written form', () => {
  assert.equal(pathId('17'), 17)
  assert.equal(pathId(String(Number.MAX_SAFE_INTEGER)), Number.MAX_SAFE_INTEGER)
  for (const text of [undefined, '', '0', '01', '+1', '1 ', '9007199254740992'])
    assert.equal(pathId(text), undefined)
})

test('a role of the whole fleet concerns the gateway too, and acts on the Node that gets it', async () => {
  await using store = await openTestStore()
  const domains = testDomains({ store })
  const gateway = await addGatewayNode(store)
  const node = await addNode(store)
  const given = { path: { node: String(node.id) }, body: { role: 'websocket' } }
  const { nodes, target } = await accessOf(domains).locate(named('node:role:add'), given)
  assert.deepEqual(
    nodes.map(({ id }) => id),
    [node.id, gateway.id],
  )
  assert.equal(target, node.id)
})
