import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logsWorld, NODE } from '#/logs/world.test.ts'

test('instance:log-stream:close reports what was read, then the end and why, and lets the agent know [LOGS-004, LOGS-008, LOGS-012, LOGS-029]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  await world.renew(id)
  world.report(id, ['one'])
  await world.settle()
  world.report(id, ['two'])
  world.notified.length = 0
  assert.deepEqual(await world.close(id), { data: { id, closed: true } })
  assert.deepEqual(world.notified, [NODE])
  assert.deepEqual(await world.logs.work.logStreams(NODE), [])
  world.report(id, ['too late'])
  await world.pass(1)
  assert.deepEqual(
    world.reported.map(({ type, data }) => ({ type, data })),
    [
      { type: 'log.lines', data: { sequence: 1, lines: ['one'], dropped: 0, skipped: 0 } },
      { type: 'log.lines', data: { sequence: 2, lines: ['two'], dropped: 0, skipped: 0 } },
      { type: 'log.ended', data: { reason: 'closed' } },
    ],
  )
})

test('a stream that is closed already is unknown [LOGS-026]', async (context) => {
  const world = logsWorld(context)
  const id = await world.open()
  await world.close(id)
  await assert.rejects(async () => world.close(id), { code: 'logs.stream_not_found' })
  await assert.rejects(async () => world.renew(id), { code: 'logs.stream_not_found' })
})
