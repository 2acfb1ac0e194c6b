import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventRegistry } from '@fleet/contract'
import { usageEvents } from '#/realtime/usage.ts'

const AT = new Date('2026-11-21T10:00:00.900Z')
const ID = Date.parse('2026-11-21T10:00:00Z') / 1000

test('usage is reported in parts of 200 under the time of its sample, with nulls where there is none [EV-034, EV-035, EV-036, EV-037, LIM-014]', () => {
  const samples = Array.from({ length: 201 }, (_, at) => ({ id: at + 1, cpu: 0.12345, memoryBytes: 1024 }))
  const events = usageEvents([...samples, { id: 300, cpu: null, memoryBytes: null }], AT)
  assert.deepEqual(
    events.map(({ type, id, data: { part, parts, processes } }) => [type, id, part, parts, processes.length]),
    [
      ['process.usage', ID, 1, 2, 200],
      ['process.usage', ID, 2, 2, 2],
    ],
  )
  assert.deepEqual(events[1]?.data.processes, [
    [201, 0.123, 1024],
    [300, null, null],
  ])
})

test('a full part with the longest numbers stays under the 10,000 bytes of a message', () => {
  const samples = Array.from({ length: 200 }, (_, at) => ({
    id: 9_000_000_000 + at,
    cpu: 127.987654321,
    memoryBytes: 9_007_199_254_740_991,
  }))
  const [event] = usageEvents(samples, AT)
  assert.ok(JSON.stringify(event?.data).length < 9700)
})

test('a fleet without Processes is reported as one empty part', () => {
  const [event, ...others] = usageEvents([], AT)
  assert.deepEqual([event?.data, others], [{ part: 1, parts: 1, processes: [] }, []])
  assert.ok(eventRegistry['process.usage'].data.safeParse(event?.data).success)
})
