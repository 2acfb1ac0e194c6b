import assert from 'node:assert/strict'
import {
  addGatewayNode,
  addGrant,
  addInstance,
  addNode,
  addProject,
  asCaller,
  excludeNode,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'

async function listed(fleet: NodesFleet, caller: ReturnType<typeof asCaller>): Promise<readonly string[]> {
  const { data } = await fleet.projects.handlers['project:list']({ call: fakeCall({ caller }), input: {} })
  return data.map(({ slug }) => slug)
}

forEachDialect(
  'a peer sees Projects on Nodes it may address and those that run nowhere, by slug [GW-009, PRJ-027, PRJ-031]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const gateway = await addGatewayNode(fleet.store)
    const [own, granted, other] = [
      await addNode(fleet.store),
      await addNode(fleet.store),
      await addNode(fleet.store),
    ]
    await addGrant(fleet.store, own, granted)
    const place = async (slug: string, nodes: readonly { readonly id: number }[]) => {
      const project = await addProject(fleet.store, { slug })
      for (const node of nodes) await addInstance(fleet.store, { project_id: project.id, node_id: node.id })
    }
    await place('nowhere', [])
    await place('mine', [own])
    await place('granted', [other, granted])
    await place('foreign', [other])
    assert.deepEqual(await listed(fleet, asCaller(own)), ['granted', 'mine', 'nowhere'])
    assert.deepEqual(await listed(fleet, asCaller(gateway, true)), ['foreign', 'granted', 'mine', 'nowhere'])
    await addGrant(fleet.store, own, gateway)
    assert.equal((await listed(fleet, asCaller(own))).length, 4)
  },
)

forEachDialect('show adds excluded Nodes, the list does not [PRJ-014, PRJ-027]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const node = await addNode(fleet.store)
  const project = await addProject(fleet.store, { defaults: { php: '8.4' } })
  await excludeNode(fleet.store, project, node)
  const call = fakeCall({ caller: asCaller(node) })
  const { data } = await fleet.projects.handlers['project:show']({ call, input: { project: project.id } })
  const { excluded_nodes, open_update, ...record } = data
  assert.equal(open_update, null)
  assert.deepEqual(
    excluded_nodes.map(({ node_id }) => node_id),
    [node.id],
  )
  assert.deepEqual(record.defaults, { php: '8.4' })
  assert.deepEqual((await fleet.projects.handlers['project:list']({ call, input: {} })).data, [record])
})

forEachDialect('an unknown Project is not shown [PRJ-027]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const shown = fleet.projects.handlers['project:show']({ call: fakeCall(), input: { project: 7 } })
  await assert.rejects(shown, { code: 'project.not_found', status: 404 })
})
