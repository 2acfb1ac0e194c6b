import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { codeOf, domainOver, startWorld } from '#/github/world.test.ts'

test('github:app:show lists the installations as they are now, a thousand of them, without a key [PRX-009, PRX-011, PRX-019]', async () => {
  await using world = await startWorld()
  const { domain, host, app } = world
  const show = async () => (await domain.handlers['github:app:show']({ call: fakeCall(), input: {} })).data
  const { installations, ...shown } = await show()
  assert.deepEqual(shown, {
    id: app,
    slug: 'fleet',
    name: 'Fleet',
    owner: 'acme',
    url: `${host.server.web}/apps/fleet`,
    created_at: '2026-01-01T00:00:00.000Z',
  })
  assert.deepEqual(installations, [])
  const first = host.install(app, 'acme', ['shop'])
  assert.deepEqual((await show()).installations, [
    {
      id: first.id,
      account: 'acme',
      repositories: 'selected',
      is_suspended: false,
      updated_at: '2026-01-02T03:04:05Z',
    },
  ])
  for (let count = 1; count < 101; count += 1) host.install(app, `account-${count}`, ['shop'])
  assert.equal((await show()).installations.length, 101)
  for (let count = 101; count < 1001; count += 1) host.install(app, `account-${count}`, ['shop'])
  assert.equal((await show()).installations.length, 1000)
})

test('without an app it is github.app_missing [PRX-014]', async () => {
  await using world = await startWorld({ hasApp: false })
  const request = world.domain.handlers['github:app:show']({ call: fakeCall(), input: {} })
  assert.equal(await codeOf(request), 'github.app_missing')
})

test('a refused credential and a host that is silent or away are github.unavailable [PRX-014]', async () => {
  await using world = await startWorld()
  const { host, store, clock, domain } = world
  const show = (over = domain) => over.handlers['github:app:show']({ call: fakeCall(), input: {} })
  host.refuse('/app/installations', 401, 'A JSON web token could not be decoded')
  await assert.rejects(show(), {
    code: 'github.unavailable',
    message: /refuses the credential of the app with status 401: “A JSON web token could not be decoded”/,
  })
  const dead = { ...host.server, api: 'https://127.0.0.1:1' }
  assert.equal(await codeOf(show(domainOver(store, dead, clock))), 'github.unavailable')
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const mute: typeof fetch = () => {
    resolve()
    return new Promise(() => undefined)
  }
  const silent = show(domainOver(store, { ...host.server, fetch: mute }, clock))
  await asked
  clock.advance(20_000)
  await assert.rejects(silent, { code: 'github.unavailable', message: /does not answer in time/ })
})
