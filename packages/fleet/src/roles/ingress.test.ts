import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { addCluster, addRole, fakeCall, forEachDialect, refusalOf, startRolesWorld } from '@fleet/testing'
import { holding, lockOf } from '#/locks/api.ts'

type World = Awaited<ReturnType<typeof startRolesWorld>>

/** The Nodes `web` and `spare` in one Cluster. */
async function clustered(world: World): Promise<number> {
  return (await addCluster(world.store, {}, [world.web, world.spare])).id
}

forEachDialect(
  'a Cluster has one ingress: a second one is refused by name, with nothing changed [ROLE-008]',
  async (dialect) => {
    await using world = await startRolesWorld({ dialect })
    await clustered(world)
    assert.equal((await world.add('ingress')).data.status, 'active')
    const before = world.services.calls.length
    const refusal = await refusalOf(world.add('ingress', { node: world.spare.id }))
    assert.deepEqual(
      [refusal.code, refusal.details],
      ['node.role_conflict', { role: 'ingress', node: { id: world.web.id, name: 'web' } }],
    )
    assert.match(String(refusal.message), /fleet node:role:remove \d+ ingress/)
    assert.equal(world.services.calls.length, before)
    assert.deepEqual((await world.add('ingress')).created, undefined, 'the identical request changes nothing')
  },
)

test("an ingress of another Cluster is in nobody's way, and neither is a Router [ROLE-008]", async () => {
  await using world = await startRolesWorld()
  await addCluster(world.store, { name: 'one' }, [world.web])
  await addCluster(world.store, { name: 'two' }, [world.spare])
  await addRole(world.store, { node_id: world.web.id, role: 'router' })
  await world.add('ingress')
  assert.equal((await world.add('ingress', { node: world.spare.id })).data.status, 'active')
})

test('an ingress that failed keeps its place: its ports may be open', async () => {
  await using world = await startRolesWorld()
  await clustered(world)
  world.services.breakAt('role.ingress.packages')
  assert.equal((await refusalOf(world.add('ingress'))).code, 'node_role.convergence_failed')
  world.services.clearFaults()
  const refusal = await refusalOf(world.add('ingress', { node: world.spare.id }))
  assert.equal(refusal.code, 'node.role_conflict')
  assert.equal((await world.add('ingress')).data.status, 'active', 'the identical request resumes')
})

test('a Node without a Cluster has no public edge to be; roles that never share its Node come first [ROLE-008]', async () => {
  await using world = await startRolesWorld()
  const refusal = await refusalOf(world.add('ingress'))
  assert.equal(refusal.code, 'cluster.membership_missing')
  assert.match(String(refusal.message), /fleet cluster:node:attach CLUSTER \d+/)
  await addRole(world.store, { node_id: world.web.id, role: 'database' })
  assert.equal((await refusalOf(world.add('ingress'))).code, 'validation.failed')
  assert.deepEqual(world.services.calls, [])
})

test('of two that are added to one Cluster at once, one waits and is refused [ROLE-008]', async () => {
  await using world = await startRolesWorld()
  const clusterId = await clustered(world)
  const outcomes = await holding(world.store, fakeCall(), lockOf('cluster', clusterId), async () => [
    world.add('ingress'),
    world.add('ingress', { node: world.spare.id }),
  ])
  const settled = await Promise.allSettled(outcomes)
  assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  assert.equal((await world.roles()).filter((role) => role.includes('ingress')).length, 1)
})

test('beside other roles its removal reconciles what reads its metrics; a build that fails stays on the role [RTX-058]', async () => {
  await using world = await startRolesWorld()
  await clustered(world)
  await world.add('app-prod')
  await world.add('ingress')
  world.services.roleSteps.splice(0, 1, 'web-server', 'firewall')
  world.services.breakAt('role.ingress.web-server', fail('ingress.caddy_config_failed'))
  const refusal = await refusalOf(world.remove('ingress'))
  assert.deepEqual(
    [refusal.code, refusal.details['step'], refusal.details['error_code']],
    ['node_role.remove_failed', 'web-server', 'ingress.caddy_config_failed'],
  )
  assert.ok(
    (await world.roles()).includes('web ingress failed remove:web-server ingress.caddy_config_failed'),
  )
  world.services.clearFaults()
  world.services.calls.length = 0
  await world.remove('ingress')
  assert.deepEqual(world.services.calls.slice(-3), [
    'role.ingress.web-server web',
    'role.ingress.firewall web',
    'exporters.reconcile web',
  ])
})
