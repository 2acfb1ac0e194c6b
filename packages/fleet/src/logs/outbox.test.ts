import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LogOutbox } from '#/logs/outbox.ts'
import { Rate } from '#/logs/rate.ts'

test('lines that come together go together, and what was sent keeps its number and its lines [LOGS-011]', () => {
  const outbox = new LogOutbox()
  outbox.addLine('one')
  outbox.addLine('two')
  const first = { sequence: 1, lines: ['one', 'two'], dropped: 0, skipped: 0 }
  assert.deepEqual(outbox.seal(), [first])
  outbox.addDropped(3)
  outbox.addSkipped(40)
  outbox.addLine('three')
  const second = { sequence: 2, lines: ['three'], dropped: 3, skipped: 40 }
  assert.deepEqual(outbox.seal(), [first, second])
  outbox.delivered()
  assert.deepEqual(outbox.seal(), [second])
  outbox.delivered()
  assert.deepEqual([outbox.isEmpty, outbox.bytes], [true, 0])
})

test('a line that escapes make too long for an event is cut between characters [LOGS-016, LOGS-019]', () => {
  for (const line of [
    '\u0001'.repeat(8192),
    '"'.repeat(8192),
    `${'\u0001'.repeat(1000)}${'😀'.repeat(1700)}`,
  ]) {
    const outbox = new LogOutbox()
    outbox.addLine(line)
    const [event] = outbox.seal()
    const [shown = ''] = event?.lines ?? []
    assert.ok(JSON.stringify(event).length < 10_000)
    assert.ok(shown === line || (shown.endsWith('[truncated]') && line.startsWith(shown.slice(0, -11))))
    assert.ok(shown.isWellFormed())
  }
})

test('every line arrives once, in order, in events under 10,000 bytes [LOGS-011, LOGS-019]', () => {
  const lines = fc.array(
    fc.oneof(fc.string({ maxLength: 200 }), fc.string({ minLength: 2000, maxLength: 3000 })),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(lines, fc.func(fc.boolean()), (given, seals) => {
      const outbox = new LogOutbox()
      const arrived: string[] = []
      let sequence = 0
      for (const [index, line] of [...given, ''].entries()) {
        outbox.addLine(line)
        if (!seals(index) && index < given.length) continue
        for (const event of outbox.seal()) {
          sequence += 1
          assert.equal(event.sequence, sequence)
          const envelope = {
            type: 'log.lines',
            id: 'a'.repeat(32),
            at: '2026-11-21T10:00:00.000+01:00',
            data: event,
          }
          assert.ok(Buffer.byteLength(JSON.stringify(envelope)) < 10_000)
          arrived.push(...event.lines)
          outbox.delivered()
        }
        assert.equal(outbox.bytes, 0)
      }
      assert.deepEqual(arrived, [...given, ''])
    }),
  )
})

test('a rate allows its burst and then what time brings', () => {
  const rate = new Rate({ bytesPerSecond: 100, burstBytes: 1000 }, 0)
  assert.deepEqual([rate.take(1000, 0), rate.take(1, 0)], [true, false])
  assert.deepEqual([rate.take(50, 499), rate.take(50, 500)], [false, true])
  assert.deepEqual([rate.take(1001, 1_000_000), rate.take(1000, 1_000_000)], [false, true])
})
