import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, FakeClock, testExecutor } from '@fleet/testing'
import { pino } from 'pino'
import { every } from './every.ts'
import { renewLeaves } from './renew-leaves.ts'

test('certificates on Nodes are looked at a minute after the start and every hour, and what became of them is told [RTX-100]', async () => {
  const clock = new FakeClock()
  const ending = new AbortController()
  const lines: string[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) })
  const runs: string[] = []
  const renew = () =>
    renewLeaves({
      renewLeaves: async (withCall) => {
        const one = await withCall(async (call) => call)
        const other = await withCall(async (call) => call)
        assert.notEqual(one.requestId, other.requestId)
        runs.push(one.operation)
        return [
          { node: 'web', scope: 'websocket', outcome: 'renewed' },
          { node: 'old', scope: 'websocket', outcome: 'node.unreachable' },
        ]
      },
      executor: testExecutor({ clock, journal: { open: () => assert.fail('a tick has no Activity') } }),
      log,
    })
  const running = every(3600, 'certificates on Nodes', renew, { clock, log, signal: ending.signal }, 60)
  clock.advance(59_000)
  assert.equal(runs.length, 0)
  clock.advance(1000)
  await eventually(() => runs.length === 1)
  clock.advance(3600_000)
  await eventually(() => runs.length === 2)
  ending.abort()
  await running
  assert.deepEqual(
    lines.slice(0, 2).map((line) => JSON.parse(line)),
    [
      { level: 30, node: 'web', scope: 'websocket', msg: 'a certificate on a Node was renewed' },
      {
        level: 40,
        node: 'old',
        scope: 'websocket',
        code: 'node.unreachable',
        msg: 'a certificate on a Node could not be looked after',
      },
    ],
  )
})
