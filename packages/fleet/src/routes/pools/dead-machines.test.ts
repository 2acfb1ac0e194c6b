import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearResidues, openShop } from '#/routes/pools/world.test.ts'
import { findRoute, residuesOn } from '#/routes/queries.ts'
import { destroy, setTargets } from '#/routes/world.test.ts'

test('a Route that no Instance serves is removed past a dead Router: what the Router keeps is recorded once and goes when it converges [RTE-056, RTE-070, RTE-175, RTE-177]', async () => {
  const shop = await openShop()
  await using world = shop.world
  const { router, instances, routes } = shop
  await setTargets(world, routes[0], [instances[0], instances[1]])
  world.silent.add(router.id)
  await assert.rejects(destroy(world, routes[1]), {
    code: 'route.node_unreachable',
    details: { node: { id: router.id, name: 'router' }, step: 'caddy', error_code: 'node.unreachable' },
  })
  const { data } = await destroy(world, routes[1], true)
  assert.equal(await findRoute(world.store.db, routes[1]), undefined)
  const kept = { node_id: router.id, node: 'router', steps: ['caddy', 'certificate'] }
  assert.deepEqual(data.retained_on_nodes, [kept])
  assert.deepEqual(
    (await residuesOn(world.store.db, router.id)).map(({ leaf_scope, domain }) => [leaf_scope, domain]),
    [[`route-${routes[1]}-router`, 'b.example']],
  )
  world.silent.clear()
  const machine = world.machines.get(router.id)
  assert.ok(machine?.leaves.has(`route-${routes[1]}-router`))
  await clearResidues(shop, router.id)
  assert.deepEqual(
    [machine?.leaves.has(`route-${routes[1]}-router`), machine?.sites.has('b.example')],
    [false, false],
  )
})
