import assert from 'node:assert/strict'
import { addNode, addRole, fakeCall, forEachDialect, startNodesFleet } from '@fleet/testing'

forEachDialect('every assignment is listed by role, active or not [ROLE-015, ROLE-019]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const node = await addNode(fleet.store, { roles: ['ingress'] })
  const failed = await addRole(fleet.store, {
    node_id: node.id,
    role: 'app-dev',
    status: 'failed',
    failed_step: 'converge:packages',
    error_code: 'node_role.convergence_failed',
  })
  const { data } = await fleet.nodes.handlers['node:role:list']({
    call: fakeCall(),
    input: { node: node.id },
  })
  assert.deepEqual(data[0], {
    id: failed.id,
    role: 'app-dev',
    status: 'failed',
    failed_step: 'converge:packages',
    error_code: 'node_role.convergence_failed',
  })
  assert.deepEqual(
    data.map(({ role, status }) => [role, status]),
    [
      ['app-dev', 'failed'],
      ['ingress', 'active'],
    ],
  )
})

forEachDialect('an unknown Node has no roles to list [NODE-025]', async (dialect) => {
  await using fleet = await startNodesFleet(dialect)
  const listed = fleet.nodes.handlers['node:role:list']({ call: fakeCall(), input: { node: 7 } })
  await assert.rejects(listed, { code: 'node.not_found' })
})
