import assert from 'node:assert/strict'
import {
  addInstance,
  addNode,
  addProcess,
  addProject,
  addSchedule,
  forEachDialect,
  openTestStore,
} from '@fleet/testing'
import { nodesWithRuntime } from '#/project-updates/queries.ts'

forEachDialect('Nodes with a Process or a Schedule of the Project, and no others', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const project = await addProject(store)
  const created_at = '2026-01-01T00:00:00.000Z'
  const instanceOn = async (environment: 'development' | 'production' = 'development') => {
    const node = await addNode(store)
    const { id } = await addInstance(store, { project_id: project.id, node_id: node.id, environment })
    return { id, node_id: node.id }
  }
  const [bare, served, timed, live] = [
    await instanceOn(),
    await instanceOn(),
    await instanceOn(),
    await instanceOn('production'),
  ]
  for (const { id: instance_id } of [served, live])
    await addProcess(store, {
      instance_id,
      name: `web-${instance_id}`,
      desired_state: 'running',
    })
  await addSchedule(store, {
    id: '00000000-0000-4000-8000-000000000001',
    instance_id: timed.id,
  })
  const found = await nodesWithRuntime(store.db, project.id)
  assert.deepEqual(
    [...found].toSorted((a, b) => a - b),
    [served.node_id, timed.node_id],
  )
  assert.ok(!found.has(bare.node_id))
})
