import assert from 'node:assert/strict'
import {
  addGatewayNode,
  addNode,
  addProject,
  checkoutPool,
  fakeCall,
  forEachDialect,
  startNodesFleet,
  testDomains,
} from '@fleet/testing'
import { CALLERS, LOCKED_ROUNDS, MIXED_ROUNDS, namesOf, raceOf } from '@fleet/testing/race'

raceOf(
  'an Instance',
  async (dialect) => {
    const fleet = await startNodesFleet(dialect)
    await addGatewayNode(fleet.store)
    const { id: node_id } = await addNode(fleet.store, { roles: ['app-dev'] })
    const { id: project_id } = await addProject(fleet.store)
    const { instances } = testDomains({ store: fleet.store, ssh: checkoutPool() })
    return {
      ...fleet,
      create: (round) =>
        instances.handlers['instance:create']({
          call: fakeCall(),
          input: { project_id, node_id, name: `feature-${round}` },
        }),
    }
  },
  { busy: 'instance.lifecycle_busy', rounds: LOCKED_ROUNDS, rows: '[INS-050]' },
)

forEachDialect('different Instances created at one moment have different ports', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const { id: node_id } = await addNode(fleet.store, { roles: ['app-dev'] })
  // The lock of a Project would let its Instances take their turns.
  const projects = await Promise.all(Array.from({ length: CALLERS }, () => addProject(fleet.store)))
  const { instances } = testDomains({ store: fleet.store, ssh: checkoutPool() })
  const create = instances.handlers['instance:create']
  for (let round = 0; round < MIXED_ROUNDS; round += 1)
    await Promise.all(
      namesOf(round).map((name, at) =>
        create({ call: fakeCall(), input: { project_id: projects[at]?.id ?? 0, node_id, name } }),
      ),
    )
  const rows = await fleet.store.db.selectFrom('instances').select('vite_port').execute()
  assert.equal(new Set(rows.map((row) => row.vite_port)).size, MIXED_ROUNDS * CALLERS)
})
