import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import { requireHub } from '#/network/members.ts'

test('without a Node that is the hub there is nothing to publish to', () => {
  const hub = nodeRecord()
  assert.equal(requireHub({ hub }), hub)
  assert.throws(() => requireHub({ hub: undefined }), { code: 'vpn.server_missing' })
})
