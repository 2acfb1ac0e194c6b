import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { fleetApp } from './fleet-app.ts'

test('only the channels of agents take client events', () => {
  const { takesClientEvents } = fleetApp({ id: 'fleet', key: 'key', secret: new Secret('secret') })
  for (const channel of ['presence-node.1', 'presence-node-logs.12'])
    assert.equal(takesClientEvents?.(channel), true)
  for (const channel of [
    'fleet',
    'private-fleet',
    'private-log-stream.1',
    'presence-node.x',
    'xpresence-node.1',
  ])
    assert.equal(takesClientEvents?.(channel), false, channel)
})
