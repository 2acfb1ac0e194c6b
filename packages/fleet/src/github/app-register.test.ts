import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeCall } from '@fleet/testing'
import { begun, codeOf, startWorld } from '#/github/world.test.ts'

test('github:app:register shows the manifest of a public app without webhooks, for the account or the organization [PRX-010, PRX-013]', async () => {
  await using world = await startWorld({ hasApp: false })
  const { domain, host } = world
  const page = async (state: string) =>
    (await domain.handlers['github:app:register']({ call: fakeCall(), input: { state } })).data
  const state = await begun(world, { name: 'Our Fleet' })
  assert.deepEqual(await page(state), {
    shows: 'manifest',
    action: `${host.server.web}/settings/apps/new?state=${state}`,
    manifest: {
      name: 'Our Fleet',
      public: true,
      default_events: [],
      default_permissions: {
        actions: 'read',
        checks: 'read',
        contents: 'write',
        metadata: 'read',
        pull_requests: 'write',
        workflows: 'write',
      },
    },
    owner: null,
  })
  const other = await begun(world, { owner: 'acme' })
  const shown = await page(other)
  assert.equal(
    shown.shows === 'manifest' && shown.action,
    `${host.server.web}/organizations/acme/settings/apps/new?state=${other}`,
  )
})

test('the page is there for an hour and for its state alone [PRX-013, PRX-014]', async () => {
  await using world = await startWorld({ hasApp: false })
  const page = (state: string) =>
    world.domain.handlers['github:app:register']({ call: fakeCall(), input: { state } })
  assert.equal(await codeOf(page('0'.repeat(64))), 'github.registration_invalid')
  const state = await begun(world)
  assert.equal(await codeOf(page('0'.repeat(64))), 'github.registration_invalid')
  world.clock.advance(3_599_000)
  assert.equal(await codeOf(page(state)), 'succeeded')
  world.clock.advance(1000)
  assert.equal(await codeOf(page(state)), 'github.registration_invalid')
})
