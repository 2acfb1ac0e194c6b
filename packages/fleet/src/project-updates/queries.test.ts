import assert from 'node:assert/strict'
import { addInstance, addNode, addProject, forEachDialect, openTestStore } from '@fleet/testing'
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
    await store.db
      .insertInto('processes')
      .values({
        instance_id,
        name: `web-${instance_id}`,
        runtime: 'systemd',
        runtime_config: { preset: null, command: ['true'] },
        restart_policy: 'never',
        keep_alive: 0,
        desired_state: 'running',
        status: 'active',
        created_at,
      })
      .execute()
  await store.db
    .insertInto('schedules')
    .values({
      id: '00000000-0000-4000-8000-000000000001',
      instance_id: timed.id,
      name: 'nightly',
      calendar: 'daily',
      command: 'true',
      timeout_seconds: 60,
      starts_enabled: 1,
      desired_timer_state: 'enabled',
      status: 'active',
      created_at,
    })
    .execute()
  const found = await nodesWithRuntime(store.db, project.id)
  assert.deepEqual(
    [...found].toSorted((a, b) => a - b),
    [served.node_id, timed.node_id],
  )
  assert.ok(!found.has(bare.node_id))
})
