import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { findRegistration } from '#/github/queries.ts'
import { begun, codeOf, startWorld, stateOf } from '#/github/world.test.ts'

test('github:app:install begins a registration for an hour, the last one alone, and nothing stored has its state [PRX-011, PRX-013]', async () => {
  await using world = await startWorld({ hasApp: false })
  const { domain, store, clock } = world
  const install = () =>
    domain.handlers['github:app:install']({ call: fakeCall(), input: { name: 'Our Fleet', owner: 'acme' } })
  const { data } = await install()
  const state = stateOf(data.page)
  assert.deepEqual(data, {
    app: null,
    page: `/api/v1/github/app/registration?state=${state}`,
    expires_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
  })
  const stored = await findRegistration(store.db)
  assert.doesNotMatch(JSON.stringify(stored), new RegExp(state))
  assert.deepEqual([stored?.name, stored?.owner], ['Our Fleet', 'acme'])
  const later = stateOf((await install()).data.page)
  const page = (given: string) =>
    domain.handlers['github:app:register']({ call: fakeCall(), input: { state: given } })
  assert.equal(await codeOf(page(state)), 'github.registration_invalid')
  assert.equal((await page(later)).data.shows, 'manifest')
})

test('without a name the app gets one that nobody has', async () => {
  await using world = await startWorld({ hasApp: false })
  await begun(world)
  const first = (await findRegistration(world.store.db))?.name ?? ''
  await begun(world)
  const second = (await findRegistration(world.store.db))?.name ?? ''
  assert.match(first, /^fleet-[0-9a-f]{8}$/)
  assert.notEqual(first, second)
})

test('github:app:install opens the installation page of an app that is registered, and asks nobody [PRX-011]', async () => {
  await using world = await startWorld()
  const { data } = await world.domain.handlers['github:app:install']({
    call: fakeCall(),
    input: { name: 'another' },
  })
  assert.equal(data.page, `${world.host.server.web}/apps/fleet/installations/new`)
  assert.deepEqual([data.app?.id, data.expires_at], [world.app, null])
  assert.deepEqual([await findRegistration(world.store.db), world.host.calls], [undefined, []])
})
