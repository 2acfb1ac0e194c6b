import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDRESS } from '../api/harness.ts'
import { personAt } from '../feed/command-line.ts'
import { startLiveWorld, until } from './world.ts'

test('a Node that loses its grant on the gateway loses the feed and what it watches within 5 seconds, also by what was signed before; others stay [ACC-005]', async () => {
  await using world = await startLiveWorld()
  const { fleet, clock } = world
  const { gateway, granted } = fleet.nodes
  const grant = `/api/v1/nodes/${gateway}/access/${granted}`
  assert.equal((await fleet.ask('PUT', grant)).status, 200)
  const watched = `presence-node.${granted}`
  const [listener, viewer, late, other] = [
    await world.client('granted'),
    await world.client('granted'),
    await world.client('granted'),
    await world.client('gateway'),
  ]
  await listener.join('private-fleet')
  await viewer.join(watched)
  await other.join('private-fleet')
  const signed = await fleet.ask('POST', '/api/v1/broadcasting/auth', {
    body: { socket_id: late.socketId, channel_name: 'private-fleet' },
    from: 'granted',
  })
  await clock.leap(6)
  assert.deepEqual([listener.state(), viewer.state()], ['connected', 'connected'])
  assert.equal((await fleet.ask('DELETE', grant)).status, 200)
  await clock.leap(6)
  await until('the listener is ended', () => listener.state() !== 'connected')
  await until('the viewer is ended', () => viewer.state() !== 'connected')
  assert.equal(late.state(), 'connected', 'it is on no channel')
  await late.join('private-fleet', signed.json.data.auth)
  await clock.leap(6)
  await until('what joined later is ended', () => late.state() !== 'connected')
  assert.equal(other.state(), 'connected')
})

test('fleet feed connects from the address that it asks from, so that it ends with the grant [ACC-005]', async () => {
  await using world = await startLiveWorld()
  using person = personAt(world)
  const { fleet, clock } = world
  const { gateway, granted } = fleet.nodes
  const grant = `/api/v1/nodes/${gateway}/access/${granted}`
  assert.equal((await fleet.ask('PUT', grant)).status, 200)
  const { terminal, ended } = person.begin(['feed', '--from', ADDRESS.granted])
  await until('the feed is followed', () => terminal.errText.includes('Following the feed'))
  assert.equal((await fleet.ask('DELETE', grant)).status, 200)
  await clock.leap(6)
  const { exit, err } = await ended
  assert.equal(exit, 1)
  assert.match(err, /The access of this client was revoked\. Retrying in/)
  assert.match(err, /node_access\.required/)
})
