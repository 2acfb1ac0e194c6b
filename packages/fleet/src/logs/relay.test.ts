import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceOf, type LogsWorld, logsWorld, NODE } from '#/logs/world.test.ts'

const KIB = 1024
const refuse = (): Promise<void> => Promise.reject(new Error('refused'))

async function started(world: LogsWorld, lines = 1): Promise<string> {
  const id = await world.open(lines)
  await world.renew(id)
  return id
}
const text = (bytes: number): string => 'x'.repeat(bytes - 1)
const droppedOf = ({ reported }: LogsWorld): number =>
  reported.reduce((sum, event) => sum + (event.type === 'log.lines' ? event.data.dropped : 0), 0)

test('the first line goes at once, what follows within 250 ms goes together [LOGS-011, LOGS-019]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.report(id, ['one'])
  await world.settle()
  assert.deepEqual(world.linesOf(id), ['one'])
  world.report(id, ['two'])
  world.report(id, ['three'])
  world.clock.advance(249)
  await world.settle()
  assert.equal(world.requests(), 1)
  world.clock.advance(1)
  await world.settle()
  assert.deepEqual([world.requests(), world.linesOf(id)], [2, ['one', 'two', 'three']])
  assert.deepEqual(
    world.reported.map(({ data }) => ('sequence' in data ? data.sequence : 0)),
    [1, 2],
  )
})

test('what the agent left out is reported, and a message of it that never came as one line at least [LOGS-009, LOGS-011]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.report(id, ['one'], { sequence: 1, dropped: 2, skipped: 30 })
  world.report(id, ['four'], { sequence: 4 })
  await world.settle()
  const data = { sequence: 1, lines: ['one', 'four'], dropped: 4, skipped: 30 }
  assert.deepEqual(world.reported, [{ stream: id, type: 'log.lines', data }])
})

test('an agent that reads anew, after a connection that nobody saw end, is heard; what was lost between is one line at least [LOGS-009, LOGS-011]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  for (const line of ['one', 'two', 'three']) world.report(id, [line])
  world.report(id, ['three', 'five'], { sequence: 1, dropped: 2 })
  world.report(id, ['six'])
  // Its first message was lost.
  world.report(id, ['nine'], { sequence: 2 })
  await world.settle()
  const lines = ['one', 'two', 'three', 'three', 'five', 'six', 'nine']
  const data = { sequence: 1, lines, dropped: 5, skipped: 0 }
  assert.deepEqual(world.reported, [{ stream: id, type: 'log.lines', data }])
})

test('lines for a stream that waits, of another Node or that nobody opened are ignored [LOGS-005, LOGS-020]', async (context) => {
  const world = logsWorld(context)
  const waiting = await world.open()
  world.report(waiting, ['early'])
  world.report('f'.repeat(32), ['nobody'])
  const other = world.logs.channel(NODE + 1)
  other.joined(new Map([[`agent.${NODE + 1}`, {}]]))
  const id = await started(world)
  const data = { stream: id, sequence: 1, lines: ['foreign'], dropped: 0, skipped: 0 }
  other.reported(`agent.${NODE + 1}`, { event: 'client-log', data })
  world.channel.reported('viewer.1.1', { event: 'client-log', data })
  await world.pass(1)
  assert.deepEqual(world.reported, [])
})

test('the first lines are outside the rate, up to 256 KiB [LOGS-015, LOGS-018]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world, 1000)
  for (let count = 0; count < 32; count += 1) world.report(id, [text(8 * KIB)])
  await world.pass(1)
  assert.equal(world.linesOf(id).length, 32)
  // These are none of the first any more, and take the burst whole.
  for (let count = 0; count < 33; count += 1) world.report(id, [text(8 * KIB)])
  await world.pass(1)
  assert.deepEqual([world.linesOf(id).length, droppedOf(world)], [64, 1])
})

test('a stream passes 64 KiB in a second after its burst of 256 KiB, and reports how many lines were left out [LOGS-018]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.report(id, ['first'])
  for (let count = 0; count < 40; count += 1) world.report(id, [text(8 * KIB)])
  assert.equal(world.linesOf(id).length, 0)
  await world.pass(1)
  assert.deepEqual([world.linesOf(id).length, droppedOf(world)], [33, 8])
  for (let count = 0; count < 20; count += 1) world.report(id, [text(8 * KIB)])
  await world.pass(1)
  assert.deepEqual([world.linesOf(id).length, droppedOf(world)], [41, 20])
})

test('a run that fails is repeated after 2 seconds with the same numbers, and nothing is lost [LOGS-011, LOGS-022]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.at.refusing = refuse
  world.report(id, ['one'])
  await world.settle()
  world.at.refusing = undefined
  world.report(id, ['two'])
  await world.pass(1.75)
  assert.deepEqual([world.requests(), world.linesOf(id)], [1, []])
  await world.pass(0.25)
  assert.deepEqual(
    world.reported.map(({ data }) => data),
    [
      { sequence: 1, lines: ['one'], dropped: 0, skipped: 0 },
      { sequence: 2, lines: ['two'], dropped: 0, skipped: 0 },
    ],
  )
  assert.ok(world.warnings.includes('live logs could not be published'))
})

test('a server that takes no more than 12 seconds for a run is one that fails [LOGS-022]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.at.refusing = () => new Promise(() => undefined)
  world.report(id, ['one'])
  await world.pass(11.75)
  world.at.refusing = undefined
  await world.pass(2)
  assert.deepEqual(world.linesOf(id), [])
  await world.pass(0.25)
  assert.deepEqual(world.linesOf(id), ['one'])
})

test('five failed runs in a row end a stream, and what its agent still tells is ignored [LOGS-008, LOGS-012, LOGS-020]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.at.refusing = refuse
  world.report(id, ['one'])
  await world.pass(7.75)
  assert.equal((await world.logs.work.logStreams(NODE)).length, 1)
  await world.pass(0.25)
  assert.deepEqual(await world.logs.work.logStreams(NODE), [])
  await assert.rejects(async () => world.renew(id), { code: 'logs.stream_not_found' })
  world.at.refusing = undefined
  world.report(id, ['two'])
  await world.pass(3)
  assert.deepEqual(world.reported, [{ stream: id, type: 'log.ended', data: { reason: 'relay_behind' } }])
  world.report(id, ['three'])
  await world.pass(120)
  assert.equal(world.reported.length, 1)
})

test('a run that succeeds in between makes the count begin anew [LOGS-020]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  for (let round = 0; round < 3; round += 1) {
    world.at.refusing = refuse
    world.report(id, [`${round}`])
    await world.pass(6.25)
    world.at.refusing = undefined
    await world.pass(2)
  }
  assert.deepEqual(world.linesOf(id), ['0', '1', '2'])
})

/** Lines of 8 KiB, slowly enough for the rate, while the relay has no moment to run. */
function fill(world: LogsWorld, id: string, lines: number, report = world.report): void {
  for (let count = 0; count < lines; count += 1) {
    if (count % 16 === 0) world.clock.advance(2000)
    report(id, [text(8 * KIB)])
  }
}

test('a stream with more than 1 MiB that nobody took ends [LOGS-020]', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  fill(world, id, 127)
  assert.equal((await world.logs.work.logStreams(NODE)).length, 1)
  fill(world, id, 1)
  assert.deepEqual(await world.logs.work.logStreams(NODE), [])
  await world.pass(1)
  assert.deepEqual([world.linesOf(id), world.endOf(id)], [[], 'relay_behind'])
})

test('of many streams with 16 MiB together the one that brings more ends [LOGS-020]', async (context) => {
  const world = logsWorld(context)
  const ids: string[] = []
  for (let count = 0; count < 16; count += 1) ids.push(await started(world))
  const other = world.logs.channel(NODE + 1)
  other.joined(new Map([[`agent.${NODE + 1}`, {}]]))
  world.at.grants.add(`1 ${NODE + 1}`)
  world.at.instances.set(6, instanceOf({ id: 6, node_id: NODE + 1 }))
  const last = await world.startOther(6)
  for (const id of ids) fill(world, id, 127)
  let sequence = 0
  const report = (stream: string, lines: readonly string[]): void => {
    sequence += 1
    const data = { stream, sequence, lines: [...lines], dropped: 0, skipped: 0 }
    other.reported(`agent.${NODE + 1}`, { event: 'client-log', data })
  }
  fill(world, last, 15, report)
  assert.equal((await world.logs.work.logStreams(NODE + 1)).length, 1)
  fill(world, last, 2, report)
  assert.deepEqual(await world.logs.work.logStreams(NODE + 1), [])
  assert.equal((await world.logs.work.logStreams(NODE)).length, 16)
})

test('an end that nobody takes is given up after five runs too', async (context) => {
  const world = logsWorld(context)
  const id = await started(world)
  world.at.refusing = refuse
  await world.close(id)
  await world.pass(20)
  const requests = world.requests()
  assert.equal(requests, 5)
  world.at.refusing = undefined
  await world.pass(20)
  assert.deepEqual([world.requests(), world.reported], [requests, []])
})

test('sixteen logs at once take ten events a request, each in its own order [LOGS-019]', async (context) => {
  const world = logsWorld(context)
  const ids: string[] = []
  for (let count = 0; count < 16; count += 1) ids.push(await started(world))
  for (const id of ids) world.report(id, ['a'])
  await world.settle()
  for (const id of ids) world.report(id, ['b'])
  await world.pass(1)
  for (const id of ids) assert.deepEqual(world.linesOf(id), ['a', 'b'])
  assert.ok(world.requests() <= 8, `${world.requests()}`)
})
