import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { systemClock, systemIds } from '@fleet/kernel'
import { addInstance, addNode, addProject, openTestStore, refusalOf } from '@fleet/testing'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import { makeInstanceQueries } from '#/instances/queries.ts'
import { acceptAndRun } from './accept-removal.ts'

const refused = () => Promise.reject(fail('database.connection_attached', { details: { slug: 'shop' } }))

test('a removal is recorded only where nobody uses its databases, by what is asked before and in the transaction that records it [DB-031]', async () => {
  await using store = await openTestStore()
  const { id: node_id } = await addNode(store)
  const row = await addInstance(store, { project_id: (await addProject(store)).id, node_id })
  const queries = makeInstanceQueries(store)
  const checkout = {} as CheckoutSession // What a refused removal does not use.
  const sound = { ownedBy: async () => [], requireUnused: async () => [], holdUnused: async () => undefined }
  for (const commands of [[], ['bye']])
    for (const asked of [{ requireUnused: refused }, { holdUnused: refused }]) {
      const deps = {
        store,
        queries,
        ids: systemIds,
        clock: systemClock,
        ownedDatabases: { ...sound, ...asked },
        projects: { steps: async () => commands },
      } as unknown as InstanceDeps // What the acceptance of a removal uses.
      const removal = acceptAndRun(deps, checkout, row, { force: true, isTornDown: true })
      const { code, details, message } = await refusalOf(removal)
      assert.deepEqual([code, details], ['database.connection_attached', { slug: 'shop' }])
      // A list without commands took nothing down.
      const again = `set it up again: \`fleet instance:setup ${row.id}\`.`
      assert.equal(String(message).endsWith(again), commands.length > 0)
      const { status, removal_operation_id } = (await queries.find(row.id)) ?? {}
      assert.deepEqual([status, removal_operation_id], ['active', null])
    }
})
