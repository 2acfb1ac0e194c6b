import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedOn } from './envelope.ts'

const data = { type: 'node.deleted', id: 1 }

test('only what the gateway published on the channel is an event', () => {
  assert.equal(publishedOn('private-fleet', { channel: 'private-fleet', event: 'node.deleted', data }), data)
  const forged = { type: 'client-node.deleted', id: 1 }
  for (const message of [
    { channel: 'private-fleet', event: 'client-node.deleted', data },
    { channel: 'private-fleet', event: 'client-node.deleted', data: forged },
    { channel: 'private-fleet', event: 'node.created', data },
    { channel: 'presence-node.1', event: 'node.deleted', data },
    { event: 'node.deleted', data },
    { channel: 'private-fleet', event: 'node.deleted', data: 'node.deleted' },
  ])
    assert.equal(publishedOn('private-fleet', message), undefined, JSON.stringify(message))
})
