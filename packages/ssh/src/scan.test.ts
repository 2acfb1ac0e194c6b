import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestNode } from '@fleet/testing'

test('the key of a host is read without logging in, and is the one that commands pin [NODE-050]', async () => {
  await using node = await startTestNode()
  assert.equal(await node.pool.scan('127.0.0.1', node.server.port, 5000), node.server.fingerprint)
  await eventually(() => node.server.connections() === 0)
})

test('an address without an SSH server is unreachable [NODE-077]', async () => {
  await using node = await startTestNode()
  await node.server.close()
  await assert.rejects(node.pool.scan('127.0.0.1', node.server.port, 5000), {
    kind: 'unreachable',
    sent: false,
  })
})
