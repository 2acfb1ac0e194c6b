import assert from 'node:assert/strict'
import { nodeDetail } from '@fleet/contract'
import {
  addGrant,
  addInstance,
  addNode,
  addProject,
  excludeNode,
  fakeCall,
  forEachDialect,
  startNodesFleet,
} from '@fleet/testing'

forEachDialect(
  'show adds grants of both directions and excluded Projects [GRANT-015, NODE-017, NODE-018, NODE-027, NODE-115]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const [node, a, b] = [
      await addNode(fleet.store),
      await addNode(fleet.store, { name: 'a' }),
      await addNode(fleet.store, { name: 'b' }),
    ]
    await addGrant(fleet.store, node, b)
    await addGrant(fleet.store, node, a)
    await addGrant(fleet.store, b, node)
    const project = await addProject(fleet.store, { slug: 'shop' })
    await addInstance(fleet.store, { project_id: project.id, node_id: node.id })
    await addInstance(fleet.store, { project_id: project.id, node_id: node.id, environment: 'production' })
    await excludeNode(fleet.store, project, node)
    const { data } = await fleet.nodes.handlers['node:show']({ call: fakeCall(), input: { node: node.id } })
    assert.deepEqual(data.access, {
      can_access: [
        { id: a.id, name: 'a' },
        { id: b.id, name: 'b' },
      ],
      accessible_by: [{ id: b.id, name: 'b' }],
    })
    assert.deepEqual(data.excluded_projects, [
      {
        project_id: project.id,
        project_slug: 'shop',
        node_id: node.id,
        node_name: node.name,
        development_instance_count: 1,
      },
    ])
    assert.deepEqual(nodeDetail.parse(data), data)
  },
)

forEachDialect('an unknown Node is not shown', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const shown = fleet.nodes.handlers['node:show']({ call: fakeCall(), input: { node: 7 } })
  await assert.rejects(shown, { code: 'node.not_found' })
})
