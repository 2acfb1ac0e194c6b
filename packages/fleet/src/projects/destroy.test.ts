import assert from 'node:assert/strict'
import {
  addInstance,
  addNode,
  addProject,
  addStep,
  excludeNode,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  type NodesFleet,
} from '@fleet/testing'
import { makeDestroy } from '#/projects/destroy.ts'
import { insertDefinition } from '#/projects/queries.ts'

const destroy = (fleet: NodesFleet, project: number) =>
  fleet.projects.handlers['project:destroy']({
    call: fakeCall({ operation: 'project:destroy' }),
    input: { project },
  })

forEachDialect('a Project goes with its steps and exclusions, once [NODE-119, PRJ-030]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store, { slug: 'shop', name: 'Shop' })
  const node = await addNode(fleet.store)
  await addStep(fleet.store, { project_id: project.id, position: 1 })
  await excludeNode(fleet.store, project, node)
  const { db } = fleet.store
  const created_at = new Date(0).toISOString()
  for (const [kind, name] of [
    ['schedule', 'backup'],
    ['process', 'queue'],
  ] as const)
    await insertDefinition(db, {
      id: `${kind}-1`,
      project_id: project.id,
      kind,
      name,
      environments: ['production'],
      spec: {},
      created_at,
    })
  assert.deepEqual((await destroy(fleet, project.id)).data, {
    id: project.id,
    name: 'Shop',
    slug: 'shop',
    removed_definitions: [
      { kind: 'process', name: 'queue' },
      { kind: 'schedule', name: 'backup' },
    ],
    removed_deploy_key: null,
  })
  for (const table of ['projects', 'project_steps', 'project_definitions', 'node_exclusions'] as const) {
    assert.deepEqual(await fleet.store.db.selectFrom(table).selectAll().execute(), [])
  }
  await assert.rejects(destroy(fleet, project.id), { code: 'project.not_found', status: 404 })
})

forEachDialect('a Project with an Instance stays whole [PRJ-030, PRJ-052]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store)
  const node = await addNode(fleet.store)
  await addInstance(fleet.store, { project_id: project.id, node_id: node.id })
  await assert.rejects(destroy(fleet, project.id), {
    code: 'project.has_instances',
    status: 409,
    details: { instances: 1 },
  })
  assert.deepEqual(await fleet.projects.projects.find(project.id), project)
})

forEachDialect(
  'a Project with a Route stays whole, whether it leads anywhere or not [RTE-167]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    const node = await addNode(fleet.store)
    const { id } = await fleet.store.db
      .insertInto('routes')
      .values({
        kind: 'app',
        project_id: project.id,
        node_id: node.id,
        domain: 'shop.example',
        provenance: 'explicit',
        publication: 'private',
        status: 'pending',
        created_at: '2026-01-01T00:00:00.000Z',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await assert.rejects(destroy(fleet, project.id), {
      code: 'project.has_routes',
      status: 409,
      details: { routes: [{ id, domain: 'shop.example' }] },
    })
    assert.deepEqual(await fleet.projects.projects.find(project.id), project)
    await fleet.store.db.deleteFrom('routes').execute()
    await destroy(fleet, project.id)
  },
)

forEachDialect(
  'an Instance that appears after the check still keeps the Project [PRJ-052]',
  async (dialect) => {
    await using fleet = await startNodesFleet(dialect)
    const project = await addProject(fleet.store)
    const node = await addNode(fleet.store)
    await addInstance(fleet.store, { project_id: project.id, node_id: node.id })
    const placements = {
      nodeIdsOf: async () => [],
      nodeIdsByProject: async () => new Map(),
      countOf: async () => 0,
    }
    const refused = makeDestroy(fleet.store, placements)({ call: fakeCall(), input: { project: project.id } })
    await assert.rejects(refused, { code: 'project.has_instances' })
  },
)

forEachDialect('a Project that another operation holds is busy, and tells who holds it', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const project = await addProject(fleet.store)
  await fleet.projects.projects.withLock(fakeCall({ operation: 'instance:create' }), project.id, async () => {
    await assert.rejects(destroy(fleet, project.id), ({ code, details }) => {
      assert.deepEqual([code, details.holder.operation], ['project.lifecycle_busy', 'instance:create'])
      return true
    })
  })
  assert.equal((await destroy(fleet, project.id)).data.id, project.id)
})
