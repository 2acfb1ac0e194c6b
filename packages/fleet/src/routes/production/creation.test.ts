import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodedError } from '@fleet/kernel'
import { fakeCall } from '@fleet/testing'
import { momentsOf } from '@fleet/testing/death'
import { sampled } from '@fleet/testing/sample'
import { city, isOpen, sitesOf } from '#/routes/edge/world.test.ts'
import { addProduction, deployed } from '#/routes/production/world.test.ts'
import { appRoutes, findByDomain, findRoute } from '#/routes/queries.ts'
import { createFor, destroy, startWorld, type Trouble, type World } from '#/routes/world.test.ts'
import { CODE, machineOf, RELEASE, servicesOf } from '#/routes/web-root/world.test.ts'

const SITE = { domain: 'site.example', web_root: 'apps/site/public' }

/** A production Instance at `shop.example`. */
async function shop(world: World): Promise<number> {
  const { id } = await addProduction(world, deployed)
  await createFor(world, id, { domain: 'shop.example' })
  return id
}

const everything = async (world: World) => ({ ...machineOf(world), services: await servicesOf(world) })

const STEPS: ReadonlyArray<readonly [Trouble, string]> = [
  ['access', 'source-access'],
  ['pool', 'php'],
  ['leaf', 'certificate'],
  ['site', 'caddy'],
  ['name', 'dns'],
]

for (const [what, step] of STEPS)
  test(`a further Route of production that fails at ${what} stays failed without pool, site, certificate and name, and is destroyed [RTE-058]`, async () => {
    await using world = await startWorld()
    const instance = await shop(world)
    const before = await everything(world)
    world.broken.set(what, CODE)
    world.worksAfter = { what, times: 1, seen: () => undefined }
    const call = fakeCall()
    const error: unknown = await createFor(world, instance, SITE, call).catch((cause: unknown) => cause)
    const failed = await findByDomain(world.store.db, SITE.domain)
    assert.ok(error instanceof CodedError)
    assert.deepEqual([error.code, error.details?.['failed_route_id']], [CODE, failed?.id])
    assert.deepEqual([failed?.status, failed?.failed_step, failed?.error_code], ['failed', step, CODE])
    assert.deepEqual([await everything(world), call.events], [before, []])
    world.done.length = 0
    const { data, created } = await createFor(world, instance, SITE)
    assert.deepEqual([data.id, data.status, created, world.done], [failed?.id, 'failed', false, []])
    await destroy(world, data.id)
    assert.equal(await findRoute(world.store.db, data.id), undefined)
    assert.deepEqual(await everything(world), before)
    assert.equal((await createFor(world, instance, SITE)).data.status, 'active')
    assert.deepEqual(world.machine.opened.get(RELEASE), ['apps/site/public', 'public'])
  })

test('a Node that does not answer keeps the Route failed, and its destruction withdraws what is left [RTE-058]', async () => {
  await using world = await startWorld()
  const instance = await shop(world)
  const before = await everything(world)
  world.broken.set('site', CODE)
  await assert.rejects(createFor(world, instance, SITE), { code: CODE })
  const failed = await findByDomain(world.store.db, SITE.domain)
  assert.deepEqual([failed?.status, failed?.failed_step], ['failed', 'caddy'])
  assert.equal(world.machine.leaves.has(`route-${failed?.id}`), true)
  world.broken.clear()
  await destroy(world, failed?.id ?? 0)
  assert.deepEqual(await everything(world), before)
})

test('a public one that cannot be opened is withdrawn from its Router and its ingress too [RTE-058]', async () => {
  await using world = await startWorld()
  const given = await city(world)
  const sites = [given.router, given.ingress, world.node].map((node) => sitesOf(given, node))
  world.broken.set('ports', CODE)
  world.worksAfter = { what: 'ports', times: 1, seen: () => undefined }
  await assert.rejects(createFor(world, given.instanceId, { ...SITE, publication: 'public' }), { code: CODE })
  const failed = await findByDomain(world.store.db, SITE.domain)
  assert.deepEqual(
    [failed?.status, failed?.failed_step, failed?.edge_step],
    ['failed', 'public-firewall', null],
  )
  assert.deepEqual(
    [given.router, given.ingress, world.node].map((node) => sitesOf(given, node)),
    sites,
  )
  assert.deepEqual([isOpen(given), world.names.has(SITE.domain)], [false, false])
  await destroy(world, failed?.id ?? 0)
})

test('a process that dies anywhere in a creation that fails leaves a Route that is destroyed or finished, and nothing after it [RTE-058]', async () => {
  await using first = await startWorld()
  const instance = await shop(first)
  const before = await everything(first)
  const failing = (world: World): World => {
    world.broken.set('site', CODE)
    world.worksAfter = { what: 'site', times: 1, seen: () => undefined }
    return world
  }
  const counted = failing(await startWorld({ after: first }))
  await assert.rejects(createFor(counted, instance, SITE), { code: CODE })
  const removeAll = async (): Promise<void> => {
    for (const { id, domain } of await appRoutes(first.store.db))
      if (domain === SITE.domain) await destroy(first, id)
    assert.deepEqual(await everything(first), before)
  }
  await removeAll()
  for (const moment of sampled(momentsOf(counted.mortal), 3)) {
    const dying = failing(await startWorld({ after: first, moment }))
    // A record that cannot be written does not hide what failed.
    await assert.rejects(createFor(dying, instance, SITE))
    const left = await findByDomain(first.store.db, SITE.domain)
    assert.ok(!left || left.status === 'activating' || left.status === 'failed', JSON.stringify(moment))
    if (left?.status !== 'failed')
      assert.equal((await createFor(first, instance, SITE)).data.status, 'active', JSON.stringify(moment))
    await removeAll()
  }
})

test('an own Route of production that fails stays activating, as one of development does [RTX-023]', async () => {
  await using world = await startWorld()
  const { id } = await addProduction(world, deployed)
  world.broken.set('site', CODE)
  const error: unknown = await createFor(world, id, { domain: 'shop.example' }).catch(
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof CodedError)
  // The same request resumes it.
  assert.deepEqual([error.code, error.details?.['failed_route_id']], [CODE, undefined])
  assert.equal((await findByDomain(world.store.db, 'shop.example'))?.status, 'activating')
})
