import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { systemClock, systemIds } from '@fleet/kernel'
import { addInstance, addNode, addProject, fakeCall, openTestStore, testDomains } from '@fleet/testing'
import type { InstanceDeps } from '#/instances/deps.ts'
import { makeInstanceQueries } from '#/instances/queries.ts'
import { removeRecord } from './remove-record.ts'

async function start() {
  const store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const node = await testDomains({ store }).nodes.nodes.find(node_id)
  const project = await addProject(store)
  const { id } = await addInstance(store, { project_id: project.id, node_id })
  const queries = makeInstanceQueries(store)
  const row = await queries.find(id)
  assert.ok(row && node)
  const ownedDatabases = {
    ownedBy: async () => [],
    requireUnused: async () => undefined,
    holdUnused: async () => undefined,
  }
  const routes = { withdrawNames: async () => undefined, leaveBehind: async () => undefined }
  const deps = { store, queries, ids: systemIds, clock: systemClock, ownedDatabases, routes }
  return { store, found: { row, node, project }, deps }
}

test('what goes with the record of an Instance is published once the transaction is committed, and not before [EV-032]', async () => {
  const { store: opened, found, deps: base } = await start()
  await using _store = opened
  const call = fakeCall()
  const sent: unknown[] = []
  const deleted = { type: 'process.deleted', data: { id: 1, name: 'queue' } } as const
  const deps = {
    ...base,
    runtime: {
      leaveBehind: async (_db: unknown, { event }: typeof call) => {
        event(deleted.type, deleted.data)
        sent.push(...call.published)
      },
    },
  } as unknown as InstanceDeps // What the removal of a record uses.
  await removeRecord(deps, call, found, [found.row.id])
  assert.deepEqual([sent, call.published], [[], [deleted]])
})

test('a record whose database somebody began to use is kept with all that would go with it; one whose removal had begun goes without that question', async () => {
  const { store, found, deps: base } = await start()
  await using opened = store
  const left: string[] = []
  const refused = () => Promise.reject(fail('database.connection_attached'))
  const depsWith = (ownedDatabases: object) =>
    ({
      ...base,
      ownedDatabases: { ...base.ownedDatabases, ...ownedDatabases },
      runtime: { leaveBehind: async () => void left.push('left') },
    }) as unknown as InstanceDeps // What the removal of a record uses.
  const { id } = found.row
  for (const asked of [{ requireUnused: refused }, { holdUnused: refused }]) {
    const removal = removeRecord(depsWith(asked), fakeCall(), found, [id])
    await assert.rejects(removal, { code: 'database.connection_attached' })
    assert.deepEqual([(await base.queries.find(id))?.id, left], [id, []])
  }
  const row = await base.queries.update(id, { status: 'removing' })
  const unasked = depsWith({ requireUnused: refused, holdUnused: refused })
  await removeRecord(unasked, fakeCall(), { ...found, row }, [id])
  assert.deepEqual([await base.queries.find(id), left], [undefined, ['left']])
  assert.equal((await opened.db.selectFrom('instance_residues').select('instance_id').execute()).length, 1)
})

test('a record that a clone needs is kept, however long its Node is silent: the clone has yet to copy its values [INS-110]', async () => {
  const { store, found, deps: base } = await start()
  await using _store = store
  const { id, project_id, node_id } = found.row
  const clone = { project_id, node_id, name: 'live', clone_candidate_id: id, creation: 'clone' } as const
  await addInstance(store, { ...clone, status: 'reserved' })
  const deps = { ...base, runtime: { leaveBehind: async () => undefined } } as unknown as InstanceDeps // What the removal of a record uses.
  await assert.rejects(removeRecord(deps, fakeCall(), found, [id]), { code: 'instance.clone_in_progress' })
  assert.equal((await base.queries.find(id))?.id, id)
})
