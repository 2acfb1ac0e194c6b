import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callOf, instanceOf, logsWorld, NODE, OPENER, OTHER } from '#/logs/world.test.ts'

test('a stream is not listed before its first renewal, which notifies the agent [LOG-006, LOGS-005, LOGS-006, LOGS-029]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  assert.deepEqual(await world.logs.work.logStreams(NODE), [])
  world.notified.length = 0
  assert.deepEqual(await world.renew(id), { data: { id, lease_seconds: 60 } })
  assert.deepEqual(world.notified, [NODE])
  assert.equal((await world.logs.work.logStreams(NODE)).length, 1)
})

test('instance:log-stream:renew notifies the agent again until its first lines, and then no more [LOGS-003, LOGS-007]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  await world.renew(id)
  await world.renew(id)
  world.notified.length = 0
  await world.renew(id)
  assert.deepEqual(world.notified, [NODE])
  world.report(id, [])
  await world.renew(id)
  assert.deepEqual(world.notified, [NODE])
})

test('a renewal keeps a stream for 60 seconds from then [LOGS-007]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  for (let count = 0; count < 3; count += 1) {
    await world.pass(59)
    await world.logs.sweep()
    await world.renew(id)
  }
  await world.pass(60)
  await world.logs.sweep()
  await assert.rejects(world.renew(id), { code: 'logs.stream_not_found', status: 404 })
})

test('nobody but the Node that opened a stream renews or closes it, and through the same record only [LOGS-026, LOGS-027]', async (context) => {
  const world = logsWorld(context)
  world.at.instances.set(6, instanceOf({ id: 6 }))
  world.at.processes.set(5, {
    id: 5,
    name: 'queue',
    node: { id: NODE, name: 'web', status: 'active' },
    runtime: 'systemd',
    environment: 'development',
    instanceId: 5,
    variables: null,
    connection_values: null,
    runtime_config: { command: [], preset: null },
  })
  const id = await world.open()
  const { handlers } = world.logs
  const missing = { code: 'logs.stream_not_found', status: 404 }
  for (const verb of ['renew', 'close'] as const) {
    const ofInstance = handlers[`instance:log-stream:${verb}`]
    const ofProcess = handlers[`process:log-stream:${verb}`]
    const other = callOf(OTHER)
    const own = callOf(OPENER)
    await assert.rejects(async () => ofInstance({ call: other, input: { instance: 5, stream: id } }), missing)
    await assert.rejects(async () => ofInstance({ call: own, input: { instance: 6, stream: id } }), missing)
    await assert.rejects(
      async () => ofInstance({ call: own, input: { instance: 5, stream: 'b'.repeat(32) } }),
      missing,
    )
    await assert.rejects(async () => ofInstance({ call: own, input: { instance: 5, stream: '' } }), missing)
    await assert.rejects(async () => ofProcess({ call: own, input: { process: 5, stream: id } }), missing)
  }
  await world.renew(id)
})

test('a value that was stored since is masked from the next renewal on [LOGS-024]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  await world.renew(id)
  world.report(id, ['a new-secret'])
  world.at.stored = new Map([['TOKEN', 'new-secret']])
  await world.renew(id)
  world.report(id, ['b new-secret'])
  await world.pass(1)
  assert.deepEqual(world.linesOf(id), ['a new-secret', 'b [REDACTED]'])
})

test('a stream that has ended is unknown, also once its Instance is gone', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  await world.renew(id)
  await world.pass(60)
  await world.logs.sweep()
  world.at.instances.clear()
  await assert.rejects(world.renew(id), { code: 'logs.stream_not_found', status: 404 })
})
