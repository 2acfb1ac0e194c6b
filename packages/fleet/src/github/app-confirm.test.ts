import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { findApp, findRegistration } from '#/github/queries.ts'
import { identityOf } from '#/github/stored-app.ts'
import { agreed, begun, codeOf, confirm, domainOver, startWorld } from '#/github/world.test.ts'

test('github:app:confirm exchanges the code, stores the app with its key sealed, and continues to its installation [PRX-009, PRX-013]', async () => {
  await using world = await startWorld({ hasApp: false })
  const { store, host } = world
  const state = await begun(world, { name: 'Our Fleet', owner: 'acme' })
  const { data } = await confirm(world, state, await agreed(world, state))
  const url = `${host.server.web}/apps/our-fleet`
  assert.deepEqual(data, { shows: 'redirect', location: `${url}/installations/new` })
  const row = (await findApp(store.db)) ?? assert.fail()
  const { private_key, created_at, ...plain } = row
  assert.deepEqual(plain, { id: 1, app_id: 4000, slug: 'our-fleet', name: 'Our Fleet', owner: 'acme', url })
  assert.equal(created_at, world.clock.now().toISOString())
  const [pem = assert.fail()] = host.secrets
  assert.doesNotMatch(private_key, /PRIVATE KEY/)
  assert.equal(identityOf(store, row).privateKey.reveal(), pem)
  assert.throws(() => identityOf(store, { ...row, app_id: 4001 }))
  assert.equal(await findRegistration(store.db), undefined)
})

test('a state that is none, was used, or is an hour old is refused, and GitHub is not asked [PRX-013, PRX-014]', async () => {
  await using world = await startWorld({ hasApp: false })
  const { host, clock } = world
  const state = await begun(world)
  const code = await agreed(world, state)
  assert.equal(await codeOf(confirm(world, '0'.repeat(64), code)), 'github.registration_invalid')
  clock.advance(3_600_000)
  assert.equal(await codeOf(confirm(world, state, code)), 'github.registration_invalid')
  assert.deepEqual(host.calls, [])
  const next = await begun(world)
  await confirm(world, next, await agreed(world, next))
  assert.equal(await codeOf(confirm(world, next, code)), 'github.registration_invalid')
  assert.equal(host.calls.length, 1)
})

test('of two browsers that come back at once one registers the app', async () => {
  await using world = await startWorld({ hasApp: false })
  const state = await begun(world)
  const codes = [await agreed(world, state), await agreed(world, state)]
  const outcomes = await Promise.all(codes.map((code) => codeOf(confirm(world, state, code))))
  assert.deepEqual(outcomes.toSorted(), ['github.registration_invalid', 'succeeded'])
})

test('a code that GitHub refuses is github.registration_failed and quotes it; the registration stays open [PRX-014]', async () => {
  await using world = await startWorld({ hasApp: false })
  const state = await begun(world)
  const code = await agreed(world, state)
  await assert.rejects(confirm(world, state, 'unknown'), {
    code: 'github.registration_failed',
    details: { host_status: 404, reason: 'Not Found' },
  })
  assert.equal(await codeOf(confirm(world, state, code)), 'succeeded')
})

test('a host that does not answer is github.unavailable [PRX-014]', async () => {
  await using world = await startWorld({ hasApp: false })
  const state = await begun(world)
  const code = await agreed(world, state)
  const dead = { ...world.host.server, api: 'https://127.0.0.1:1' }
  const { handlers } = domainOver(world.store, dead, world.clock)
  const request = handlers['github:app:confirm']({ call: fakeCall(), input: { state, code } })
  assert.equal(await codeOf(request), 'github.unavailable')
})

test('an app whose page is elsewhere is not taken: the browser would be sent there', async () => {
  await using world = await startWorld({ hasApp: false })
  const state = await begun(world)
  const code = await agreed(world, state)
  const elsewhere = { ...world.host.server, web: 'https://github.test' }
  const { handlers } = domainOver(world.store, elsewhere, world.clock)
  const request = handlers['github:app:confirm']({ call: fakeCall(), input: { state, code } })
  assert.equal(await codeOf(request), 'github.registration_failed')
  assert.equal(await findApp(world.store.db), undefined)
})
