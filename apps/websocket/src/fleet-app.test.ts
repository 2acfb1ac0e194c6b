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

test('the feed and the channels of viewers need access to the gateway; agents, live logs and whoever is on no channel do not', () => {
  const { needsAccess } = fleetApp({ id: 'fleet', key: 'key', secret: new Secret('secret') })
  assert.deepEqual(
    [
      needsAccess?.('fleet', undefined),
      needsAccess?.('private-fleet', undefined),
      needsAccess?.('presence-node.1', 'viewer.1.2'),
      needsAccess?.('presence-node.1', 'agent.1'),
      needsAccess?.('presence-node-logs.1', 'agent.1'),
      needsAccess?.('private-log-stream.1', undefined),
    ],
    [true, true, true, false, false, false],
  )
})
