import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addGatewayNode, addNode } from '@fleet/testing'
import { openConsole } from '#/console/world.test.ts'
import { decide } from './decided.ts'
import type { InstallOptions } from './options.ts'

const NOTHING: InstallOptions = {
  name: undefined,
  publicHost: undefined,
  publicPort: undefined,
  range: undefined,
  address: undefined,
  port: undefined,
  suffix: undefined,
  fleetUser: undefined,
}
const OWN = { range: '10.99.0.0/16', hubPort: 51_000, endpoint: 'vpn.example:51000', suffix: 'corp' }

test('a new installation takes what was given and defaults, and needs an address', async () => {
  await using console = await openConsole()
  const { session } = console
  assert.deepEqual(await decide(session, { ...NOTHING, publicHost: '192.0.2.1' }), {
    node: { name: 'gateway', publicHost: '192.0.2.1' },
    network: { range: '10.44.0.0/16', hubPort: 51_820, endpoint: null, suffix: 'fleet' },
  })
  const given = { ...NOTHING, name: 'hub', publicHost: '192.0.2.1', publicPort: 2222, address: '10.99.0.9' }
  assert.deepEqual(
    await decide(session, { ...given, range: OWN.range, port: 51_000, suffix: 'corp', fleetUser: 'ops' }),
    {
      node: {
        name: 'hub',
        publicHost: '192.0.2.1',
        publicPort: 2222,
        address: '10.99.0.9',
        fleetUser: 'ops',
      },
      network: { ...OWN, endpoint: null },
    },
  )
  await assert.rejects(decide(session, NOTHING), { message: '--public-host is missing.' })
})

test('an installation that is run again keeps the private network and the name of its Node', async () => {
  for (const status of ['active', 'failed'] as const) {
    await using console = await openConsole()
    const { session, store } = console
    await session.services.network.configure(OWN)
    const { id } = await addGatewayNode(store, { name: 'hub', wireguard_ip: '10.99.0.1' })
    await addNode(store, { name: 'another' })
    await store.db.updateTable('nodes').set({ status }).where('id', '=', id).execute()
    const kept = { node: { name: 'hub' }, network: OWN }
    assert.deepEqual(await decide(session, NOTHING), kept)
    const same = { ...NOTHING, name: 'hub', range: OWN.range, port: OWN.hubPort, suffix: OWN.suffix }
    assert.deepEqual(await decide(session, same), kept)
  }
})

test('the first Node of an installation that failed is gone on with under its name', async () => {
  await using console = await openConsole()
  const { session, store } = console
  await addNode(store, { name: 'hub', status: 'failed' })
  assert.deepEqual((await decide(session, NOTHING)).node, { name: 'hub' })
  await assert.rejects(decide(session, { ...NOTHING, name: 'other' }), {
    message: '--public-host is missing.',
  })
})

test('what the members of a private network were given is not changed by a flag', async () => {
  await using console = await openConsole()
  const { session, store } = console
  await session.services.network.configure(OWN)
  const other = { ...NOTHING, publicHost: '192.0.2.1', range: '10.1.0.0/16', port: 1000, suffix: 'else' }
  assert.deepEqual((await decide(session, other)).network, {
    range: '10.1.0.0/16',
    hubPort: 1000,
    endpoint: OWN.endpoint,
    suffix: 'else',
  })
  await addGatewayNode(store, { name: 'hub', wireguard_ip: '10.99.0.1' })
  for (const [change, message] of [
    [{ range: '10.1.0.0/16' }, '--range cannot become 10.1.0.0/16: machines are enrolled with 10.99.0.0/16.'],
    [{ port: 51_820 }, '--port cannot become 51820: machines are enrolled with 51000.'],
    [{ suffix: 'fleet' }, '--suffix cannot become fleet: machines are enrolled with corp.'],
    [{ name: 'gateway' }, '--name cannot become gateway: machines are enrolled with hub.'],
  ] as const)
    await assert.rejects(decide(session, { ...NOTHING, ...change }), {
      message,
      next: 'Leave the flag out to keep it.',
    })
})
