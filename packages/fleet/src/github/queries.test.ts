import assert from 'node:assert/strict'
import { forEachDialect, openTestStore } from '@fleet/testing'
import {
  deleteApp,
  deleteRegistration,
  findApp,
  findRegistration,
  insertApp,
  putRegistration,
} from '#/github/queries.ts'

const app = (app_id: number) => ({
  app_id,
  slug: 'fleet',
  name: 'Fleet',
  owner: 'acme',
  url: 'https://github.com/apps/fleet',
  private_key: 'sealed',
  created_at: '2026-01-01T00:00:00.000Z',
})
const registration = (state_digest: string) => ({
  state_digest,
  name: 'Fleet',
  owner: null,
  expires_at: '2026-01-01T01:00:00.000Z',
})

forEachDialect('a gateway has one app at most, and one registration that is open', async (dialect) => {
  await using store = await openTestStore({ dialect })
  const { db } = store
  assert.equal(await findApp(db), undefined)
  assert.equal(await insertApp(db, app(5_000_000_000)), true)
  assert.equal(await insertApp(db, app(2)), false)
  assert.deepEqual(await findApp(db), { id: 1, ...app(5_000_000_000) })
  assert.equal((await deleteApp(db))?.app_id, 5_000_000_000)
  assert.equal(await deleteApp(db), undefined)

  await putRegistration(db, registration('a'))
  await putRegistration(db, { ...registration('b'), owner: 'acme' })
  assert.deepEqual(await findRegistration(db), { id: 1, ...registration('b'), owner: 'acme' })
  assert.equal(await deleteRegistration(db, 'a'), false)
  assert.equal(await deleteRegistration(db, 'b'), true)
  assert.equal(await findRegistration(db), undefined)
})
