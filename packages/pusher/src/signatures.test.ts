import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { bodyMd5, channelAuth, requestSignature, userAuth } from '#/signatures.ts'

// Key, secret and expected signatures are the published examples of the protocol.
const app = { key: '278d425bdf160c739803', secret: new Secret('7ad3773142a6692b25b8') }

test('a private and a presence subscription are signed as the protocol shows', () => {
  const channelData = '{"user_id":10,"user_info":{"name":"Mr. Channels"}}'
  assert.equal(
    channelAuth(app, '1234.1234', 'private-foobar'),
    `${app.key}:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4`,
  )
  assert.equal(
    channelAuth(app, '1234.1234', 'presence-foobar', channelData),
    `${app.key}:31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80`,
  )
})

test('a request of the HTTP API is signed as the protocol shows, whatever the order of its parameters', () => {
  const body = '{"name":"foo","channels":["project-3"],"data":"{\\"some\\":\\"data\\"}"}'
  const query = {
    body_md5: bodyMd5(body),
    auth_version: '1.0',
    auth_key: app.key,
    auth_timestamp: '1353088179',
    auth_signature: 'ignored',
  }
  assert.equal(query.body_md5, 'ec365a775a4cd0599faeb73354201b6f')
  assert.equal(
    requestSignature(app.secret, { method: 'POST', path: '/apps/3/events', query }),
    'da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c',
  )
})

test('the signature of a user is bound to the socket and to the exact text', () => {
  const signed = userAuth(app, '1.1', '{"id":"u"}')
  assert.notEqual(signed, userAuth(app, '1.2', '{"id":"u"}'))
  assert.notEqual(signed, userAuth(app, '1.1', '{"id": "u"}'))
})
