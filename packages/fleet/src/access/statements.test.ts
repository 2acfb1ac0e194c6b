import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { findOperation, type OperationName } from '@fleet/contract'
import {
  accessOf,
  addInstance,
  addNode,
  addProject,
  addStep,
  asCaller,
  countedStore,
  fakeCall,
  forEachDialect,
  newCounts,
  type NodesFleet,
  startNodesFleet,
  type StoreCounts,
} from '@fleet/testing'
import type { AnyHandler } from '#/handler.ts'

type Row = readonly [
  operation: OperationName,
  members: Readonly<Record<string, string>>,
  counts: Partial<StoreCounts>,
]

// From the locator to the answer: what the path names is read once before a lock and once under it. An update returns its row.
const TABLE: readonly Row[] = [
  ['node:show', {}, { statements: 4, nodes: 1 }],
  ['node:rename', { name: 'renamed' }, { statements: 4, nodes: 2 }],
  ['node:excluded-project:list', {}, { statements: 2, nodes: 1 }],
  ['project:show', {}, { statements: 7, projects: 1 }],
  ['project:setup-step:list', {}, { statements: 4, projects: 1 }],
  ['project:update', { name: 'Shop' }, { statements: 3, projects: 2 }],
  ['instance:show', {}, { statements: 3, instances: 1, projects: 1, nodes: 1 }],
  ['env:update', { key: 'A', value: 'x' }, { statements: 8, instances: 2, projects: 2, nodes: 2 }],
  ['env:sync', {}, { statements: 11, instances: 2, projects: 2, nodes: 2 }],
]

for (const [name, members, expected] of TABLE)
  forEachDialect(`${name} asks the store for no more than it needs`, async (dialect) => {
    const counts = newCounts()
    await using fleet = await startNodesFleet(dialect, (store) => countedStore(store, counts))
    const { store, home } = fleet
    const node = await addNode(store, { user: userInfo().username, user_home: home })
    const project = await addProject(store)
    const checkout_path = join(home, 'apps', 'shop', 'default')
    mkdirSync(checkout_path, { recursive: true })
    const instance = await addInstance(store, { project_id: project.id, node_id: node.id, checkout_path })
    await addStep(store, { project_id: project.id, position: 1 })
    const handlers = handlersOf(fleet)
    const access = accessOf(fleet.domains)
    const operation = findOperation(name) ?? assert.fail(name)
    const ids = { node: node.id, project: project.id, instance: instance.id }
    const named = Object.entries(ids).filter(([param]) => operation.path.includes(`{${param}}`))
    const path = Object.fromEntries(named.map(([param, id]) => [param, String(id)]))
    Object.assign(counts, newCounts())
    const { found = {} } = await access.locate(operation, { path, body: {} })
    const input = { ...members, ...Object.fromEntries(named) }
    await handlers[name]?.({
      call: fakeCall({ caller: asCaller(node) }),
      input: input as never, // The table holds members of the operation.
      found: found as never, // Its own locators found them.
    })
    assert.deepEqual(counts, { ...newCounts(), ...expected })
  })

const handlersOf = ({ nodes, projects, domains }: NodesFleet): Readonly<Record<string, AnyHandler>> => ({
  ...nodes.handlers,
  ...projects.handlers,
  ...domains.instances.handlers,
  ...domains.environment.handlers,
})
