import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorRegistry } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { startHttpsGateway } from '@fleet/testing/https-gateway'
import { makePerson } from '#/run-harness.ts'

test('a change of a Route that names no change ends at the client, with a code that no gateway has [RTX-011]', async () => {
  await using gateway = await startHttpsGateway(systemClock, ({ method, url }, { root }) => {
    if (url === '/api/v1/ca/root')
      return {
        body: {
          data: { root_ca: root().certificate, sha256: root().sha256 },
          meta: { request_id: 'x' },
        },
      }
    if (method === 'PATCH')
      return { body: { data: { id: 4, domain: 'shop.test' }, meta: { request_id: 'x' } } }
    return { status: 404, body: { error: { code: 'http.404', message: '-' } } }
  })
  using person = makePerson()
  await person.type(['gateway:add', 'office', gateway.url, '--accept-new'])
  const sent = (): number => gateway.asked.filter(({ method }) => method === 'PATCH').length
  const refused = await person.type(['route:update', '4'])
  assert.equal(refused.exit, 2)
  assert.match(
    refused.err,
    /^route\.update_required {2}Nothing says what to change: --domain, --publication, --web-root\./,
  )
  assert.equal(sent(), 0)
  assert.ok(!Object.hasOwn(errorRegistry, 'route.update_required'))
  assert.equal((await person.type(['route:update', '4', '--domain', 'other.test'])).exit, 0)
  assert.equal(sent(), 1)
})
