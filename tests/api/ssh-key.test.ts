import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fingerprintOf, publicKeyBlob } from '@fleet/ssh'
import { startTestGateway, type TestGateway } from './harness.ts'

let fleet: TestGateway
before(async () => {
  fleet = await startTestGateway()
})
after(() => fleet[Symbol.asyncDispose]())

const ask = (from: 'ungranted' | 'inactive' | 'unknown') =>
  fleet.ask('GET', '/api/v1/gateway/ssh-key', { from })

test('every active Node learns the key that machines must let in, and never the private side', async () => {
  const { status, json, text } = await ask('ungranted')
  assert.equal(status, 200)
  assert.deepEqual(json.data, {
    public_key: fleet.gateway.sshPublicKey,
    fingerprint: fingerprintOf(publicKeyBlob(fleet.gateway.sshPublicKey)),
  })
  assert.match(json.data.public_key, /^ssh-ed25519 [A-Za-z0-9+/]+=* \S+$/)
  assert.doesNotMatch(text, /PRIVATE/)
})

test('a stranger and an inactive Node do not learn it [GW-006]', async () => {
  for (const from of ['inactive', 'unknown'] as const) {
    const { status, json } = await ask(from)
    assert.deepEqual([status, json.error.code], [403, 'peer.identity_unknown'])
  }
})
