import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { addRole, fakeCall } from '@fleet/testing'
import { makeWaitingKind } from '#/routes/edge/waiting.ts'
import { city, sitesOf } from '#/routes/edge/world.test.ts'
import { findRoute } from '#/routes/queries.ts'
import { createFor, startWorld, update } from '#/routes/world.test.ts'

test('a Route that cannot be opened keeps none closed that waits with it, and is tried again [RTX-051]', async () => {
  await using world = await startWorld()
  const given = await city(world, { ingress: 'none' })
  const later: number[] = []
  for (const at of [2, 3]) {
    const wanted = { domain: `${at}.example`, web_root: `${at}/public`, publication: 'public' } as const
    later.push((await createFor(world, given.instanceId, wanted)).data.id)
  }
  await update(world, given.id, { publication: 'public' })
  await addRole(world.store, { node_id: given.ingress.id, role: 'ingress' })
  const broken = new Set(['shop.example', '2.example'])
  const { paths } = world.deps
  const kind = makeWaitingKind({
    ...world.deps,
    paths: {
      verify: async (session, path) => {
        // The first one is not worth another attempt.
        if (broken.has(path.domain))
          throw fail(path.domain === 'shop.example' ? 'node.not_found' : 'route.private_path_failed')
        return paths.verify(session, path)
      },
    },
  })
  const stepsNow = async () => {
    const found = await Promise.all([given.id, ...later].map((id) => findRoute(world.store.db, id)))
    return found.map((route) => route?.edge_step)
  }
  await assert.rejects(async () => kind.run(fakeCall(), { cluster_id: given.clusterId }), {
    code: 'route.private_path_failed',
  })
  assert.deepEqual(await stepsNow(), [null, null, 'ingress-firewall'])
  assert.deepEqual(
    sitesOf(given, given.ingress).map(([place]) => place),
    ['3.example at 0.0.0.0 10.44.0.9'],
  )
  broken.delete('2.example')
  await assert.rejects(async () => kind.run(fakeCall(), { cluster_id: given.clusterId }), {
    code: 'node.not_found',
  })
  broken.clear()
  await kind.run(fakeCall(), { cluster_id: given.clusterId })
  assert.deepEqual(await stepsNow(), ['ingress-firewall', 'ingress-firewall', 'ingress-firewall'])
})

test('the end of the gateway ends the work before the next Route', async () => {
  await using world = await startWorld()
  const given = await city(world)
  await createFor(world, given.instanceId, { web_root: 'admin/public' })
  await world.store.db.updateTable('routes').set({ publication: 'public' }).execute()
  const ending = new AbortController()
  const tried: string[] = []
  const kind = makeWaitingKind({
    ...world.deps,
    paths: {
      verify: async (_session, { domain }) => {
        tried.push(domain)
        ending.abort()
        throw fail('http.draining')
      },
    },
  })
  const call = { ...fakeCall(), signal: ending.signal }
  await assert.rejects(async () => kind.run(call, { cluster_id: given.clusterId }), { code: 'http.draining' })
  assert.deepEqual(tried, ['shop.example'])
})
