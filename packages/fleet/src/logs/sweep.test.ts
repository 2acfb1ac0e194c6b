import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeRecord } from '@fleet/testing'
import { readAgentMessage } from '#/agents/api.ts'
import { instanceOf, type LogsWorld, logsWorld, NODE, OPENER } from '#/logs/world.test.ts'

const AGENT = `agent.${NODE}`

/** An active stream whose first line has arrived. */
async function streaming(world: LogsWorld): Promise<string> {
  const id = await world.open()
  await world.renew(id)
  world.report(id, ['one'])
  await world.settle()
  return id
}

test('a stream that was opened and never renewed expires after 60 seconds [LOGS-005, LOGS-008, LOGS-012, LOGS-021]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  await world.pass(59.5)
  await world.logs.sweep()
  await world.settle()
  assert.equal(world.endOf(id), undefined)
  await world.pass(0.5)
  await world.logs.sweep()
  await world.settle()
  assert.equal(world.endOf(id), 'expired')
})

test('a stream whose opener lost its grant, or is no active Node any more, is revoked [GRANT-011, LOGS-008, LOGS-012, LOGS-021]', async (context) => {
  const world = logsWorld(context)
  const first = await streaming(world)
  await world.logs.sweep()
  world.at.grants.delete(`${OPENER} ${NODE}`)
  await world.logs.sweep()
  await world.pass(1)
  assert.equal(world.endOf(first), 'revoked')
  world.at.grants.add(`${OPENER} ${NODE}`)
  const second = await streaming(world)
  world.at.inactive.add(OPENER)
  await world.logs.sweep()
  await world.pass(1)
  assert.equal(world.endOf(second), 'revoked')
})

test('a stream whose Instance was removed or moved has no source any more', async (context) => {
  const world = logsWorld(context)
  const moved = await streaming(world)
  world.at.instances.set(5, instanceOf({ node_id: NODE + 1 }))
  await world.logs.sweep()
  world.at.instances.set(5, instanceOf({}))
  const removed = await streaming(world)
  world.at.instances.clear()
  await world.logs.sweep()
  await world.pass(1)
  assert.deepEqual([world.endOf(moved), world.endOf(removed)], ['source_unavailable', 'source_unavailable'])
})

test('a stream on a Node that is not active any more has no source, and none is opened there [NODE-024, LOGS-008, LOGS-025]', async (context) => {
  const world = logsWorld(context)
  const id = await streaming(world)
  world.at.instances.set(5, instanceOf({ node: nodeRecord({ id: NODE, status: 'failed' }) }))
  await world.logs.sweep()
  await world.pass(1)
  assert.equal(world.endOf(id), 'source_unavailable')
  await assert.rejects(world.open(), {
    code: 'logs.live_unavailable',
    details: { reason: 'agent_unavailable' },
  })
})

test('agents are reminded of streams they have not begun, and of no others [LOGS-021]', async (context) => {
  const world = logsWorld(context)
  await world.open()
  world.notified.length = 0
  world.logs.remind()
  await world.settle()
  assert.deepEqual(world.notified, [])
  const id = await world.open()
  await world.renew(id)
  world.notified.length = 0
  world.logs.remind()
  await world.settle()
  assert.deepEqual(world.notified, [NODE])
  world.report(id, [])
  world.logs.remind()
  await world.settle()
  assert.deepEqual(world.notified, [NODE])
})

test('an agent that leaves ends its streams, one that was gone when the subscriber came back too [LOGS-008, LOGS-012]', async (context) => {
  const world = logsWorld(context)
  const first = await streaming(world)
  world.channel.memberRemoved('gateway.1.1')
  world.channel.memberRemoved(AGENT)
  await world.pass(1)
  assert.equal(world.endOf(first), 'agent_left')
  await assert.rejects(world.open(), { details: { reason: 'agent_not_joined' } })
  world.channel.memberAdded(AGENT, {})
  const second = await streaming(world)
  world.channel.left()
  await assert.rejects(world.open(), { details: { reason: 'agent_not_joined' } })
  world.channel.joined(new Map([[AGENT, {}]]))
  await world.renew(second)
  world.channel.left()
  world.channel.joined(new Map())
  await world.pass(1)
  assert.equal(world.endOf(second), 'agent_left')
})

test('an agent that cannot read its source, or gets no list, ends the stream [LOGS-008, LOGS-010, LOGS-012]', async (context) => {
  const world = logsWorld(context)
  for (const reason of ['source_unavailable', 'list_unavailable']) {
    const id = await streaming(world)
    const message = readAgentMessage('client-log-end', { stream: id, reason })
    assert.ok(message)
    world.channel.reported('agent.8', message)
    world.channel.reported('viewer.1.1', message)
    world.channel.reported(undefined, message)
    await world.pass(1)
    assert.equal(world.endOf(id), undefined)
    world.channel.reported(AGENT, message)
    await world.pass(1)
    assert.equal(world.endOf(id), 'source_unavailable')
  }
})
