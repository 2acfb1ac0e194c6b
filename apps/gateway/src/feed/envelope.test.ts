import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zonedTime } from './envelope.ts'

const TIME = new Date('2026-07-01T12:34:56.789Z')

test('the time of an event is that of this machine, with its offset [EV-005]', () => {
  const text = zonedTime(TIME)
  assert.match(text, /^2026-0[67]-\d\dT\d\d:\d\d:56\.789[+-]\d\d:\d\d$/)
  assert.equal(new Date(text).getTime(), TIME.getTime())
})

const ZONES = {
  UTC: '2026-07-01T12:34:56.789+00:00',
  'Asia/Kathmandu': '2026-07-01T18:19:56.789+05:45',
  'America/St_Johns': '2026-07-01T10:04:56.789-02:30',
  'Pacific/Auckland': '2026-07-02T00:34:56.789+12:00',
} as const

for (const [zone, text] of Object.entries(ZONES))
  test(`a gateway in ${zone} sends its own time and offset [EV-005]`, (context) => {
    const before = process.env['TZ']
    context.after(() => {
      if (before === undefined) delete process.env['TZ']
      else process.env['TZ'] = before
    })
    process.env['TZ'] = zone
    assert.equal(zonedTime(TIME), text)
  })
