import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeRecord } from '#/nodes/api.ts'
import type { ProxyRecord } from '#/routes/record.ts'
import { siteOf } from '#/routes/sites.ts'
import { startWorld, UPSTREAM } from '#/routes/world.test.ts'

test('a private site is bound to the address of the tunnel and to that of the LAN where there is one [RTX-082]', async () => {
  await using world = await startWorld()
  const route = { id: 7, domain: 'mail.internal', upstream: UPSTREAM } as ProxyRecord // What a site is made of.
  const listenersOf = (given: Pick<NodeRecord, 'wireguard_ip' | 'lan_ip'>) =>
    siteOf({ ...world.node, ...given }, route).map(({ listener }) => listener)
  assert.deepEqual(listenersOf({ wireguard_ip: '10.44.0.7', lan_ip: '192.168.7.7' }), [
    { kind: 'tcp', addresses: ['10.44.0.7', '192.168.7.7'] },
  ])
  assert.deepEqual(listenersOf({ wireguard_ip: '10.44.0.7', lan_ip: null }), [
    { kind: 'tcp', addresses: ['10.44.0.7'] },
  ])
  assert.deepEqual(listenersOf({ wireguard_ip: null, lan_ip: null }), [])
})
