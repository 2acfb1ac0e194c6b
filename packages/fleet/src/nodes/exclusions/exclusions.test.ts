import assert from 'node:assert/strict'
import {
  addGatewayNode,
  addInstance,
  addNode,
  addProject,
  asCaller,
  fakeCall,
  forEachDialect,
  startNodesFleet,
} from '@fleet/testing'

forEachDialect(
  'a pair added by one side is seen and removed by the other [NODE-113, NODE-114, NODE-115, NODE-117]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store, { name: 'web-1' })
    const project = await addProject(fleet.store, { slug: 'shop' })
    await addInstance(fleet.store, { project_id: project.id, node_id: node.id })
    const handlers = { ...fleet.nodes.handlers, ...fleet.projects.handlers }
    const input = { node: node.id, project: project.id }
    const call = fakeCall({ caller: asCaller(node) })
    const pair = {
      project_id: project.id,
      project_slug: 'shop',
      node_id: node.id,
      node_name: 'web-1',
      development_instance_count: 1,
    }
    assert.deepEqual((await handlers['node:excluded-project:add']({ call, input })).data, {
      ...pair,
      already_exists: false,
    })
    assert.deepEqual((await handlers['project:excluded-node:add']({ call, input })).data, {
      ...pair,
      already_exists: true,
    })
    assert.deepEqual(
      (await handlers['node:excluded-project:list']({ call, input: { node: node.id } })).data,
      [pair],
    )
    assert.deepEqual(
      (await handlers['project:excluded-node:list']({ call, input: { project: project.id } })).data,
      [pair],
    )
    assert.equal(await fleet.nodes.nodes.isExcluded(project.id, node.id), true)
    for (const name of Object.keys(handlers).filter((each) =>
      /excluded-(?:project|node):(?:add|remove)$/.test(each),
    )) {
      const noted = fakeCall({ caller: asCaller(node) })
      await handlers[name as 'node:excluded-project:add']({ call: noted, input }).catch(() => undefined) // As: one of the four.
      assert.deepEqual(noted.notes.properties, { project_id: project.id }, name)
    }
    await handlers['node:excluded-project:add']({ call, input })
    assert.deepEqual((await handlers['project:excluded-node:remove']({ call, input })).data, {
      ...pair,
      already_exists: true,
    })
    for (const name of ['node:excluded-project:remove', 'project:excluded-node:remove'] as const) {
      await assert.rejects(handlers[name]({ call, input }), {
        code: 'project.excluded_node_missing',
        status: 404,
      })
    }
    assert.equal(await fleet.nodes.nodes.isExcluded(project.id, node.id), false)
  },
)

forEachDialect('only a Node with an active app-dev role can be excluded [NODE-116]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const node = await addNode(fleet.store, { roles: ['app-prod'] })
  const project = await addProject(fleet.store)
  const input = { node: node.id, project: project.id }
  for (const add of [
    fleet.nodes.handlers['node:excluded-project:add'],
    fleet.projects.handlers['project:excluded-node:add'],
  ]) {
    const refusal = { code: 'project.excluded_node_not_app_dev', status: 422 }
    await assert.rejects(add({ call: fakeCall(), input }), refusal)
  }
})

forEachDialect(
  'unknown Nodes and Projects are refused on both sides [NODE-113, NODE-114]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const node = await addNode(fleet.store)
    const project = await addProject(fleet.store)
    const call = fakeCall()
    const { nodes, projects } = fleet
    const unknownNode = { node: 99, project: project.id }
    const unknownProject = { node: node.id, project: 99 }
    const cases = [
      [() => nodes.handlers['node:excluded-project:list']({ call, input: { node: 99 } }), 'node.not_found'],
      [() => nodes.handlers['node:excluded-project:add']({ call, input: unknownNode }), 'node.not_found'],
      [
        () => nodes.handlers['node:excluded-project:add']({ call, input: unknownProject }),
        'project.not_found',
      ],
      [() => nodes.handlers['node:excluded-project:remove']({ call, input: unknownNode }), 'node.not_found'],
      [
        () => projects.handlers['project:excluded-node:list']({ call, input: { project: 99 } }),
        'project.not_found',
      ],
      [
        () => projects.handlers['project:excluded-node:add']({ call, input: unknownProject }),
        'project.not_found',
      ],
      [() => projects.handlers['project:excluded-node:add']({ call, input: unknownNode }), 'node.not_found'],
      [
        () => projects.handlers['project:excluded-node:remove']({ call, input: unknownNode }),
        'node.not_found',
      ],
    ] as const
    for (const [refused, code] of cases) await assert.rejects(refused(), { code })
  },
)

forEachDialect(
  'the Project side lists Nodes that the caller may address, all of them for a gateway grant [GW-009]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const gateway = await addGatewayNode(fleet.store)
    const [b, a] = [await addNode(fleet.store, { name: 'b' }), await addNode(fleet.store, { name: 'a' })]
    const project = await addProject(fleet.store)
    for (const node of [a, b])
      await fleet.nodes.nodes.exclusions.add(project.id, { ...node, activeRoles: ['app-dev'] })
    const listed = async (caller: ReturnType<typeof asCaller>): Promise<readonly string[]> => {
      const list = fleet.projects.handlers['project:excluded-node:list']
      const { data } = await list({ call: fakeCall({ caller }), input: { project: project.id } })
      return data.map(({ node_name }) => node_name)
    }
    assert.deepEqual(await listed(asCaller(a)), ['a'])
    assert.deepEqual(await listed(asCaller(gateway, true)), ['a', 'b'])
  },
)
