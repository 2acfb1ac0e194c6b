import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, FakeClock } from '@fleet/testing'
import { attend } from './attend.ts'
import { type Gateway, GatewayFailure } from './gateway.ts'

const realtime = {
  url: null,
  address: null,
  key: null,
  channel: 'presence-node.7',
  log_channel: 'presence-node-logs.7',
  member: 'agent.7',
}

/** An agent whose gateway gives the answers in turn, the last one for ever. */
function start(...answers: unknown[]) {
  const clock = new FakeClock()
  const stop = new AbortController()
  const said: string[] = []
  const asked: number[] = []
  const gateway: Gateway = {
    get: async (path) => {
      assert.equal(path, 'realtime')
      asked.push(clock.ticks())
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer instanceof Error) throw answer
      return answer
    },
    authorize: () => Promise.reject(new GatewayFailure('unreachable')),
  }
  const least = { bytes: () => new Uint8Array([0, 0]) }
  const ids = { uuid: () => '', orderedUuid: () => '', hex: () => '', ...least }
  const nothing = { rootCertificate: '', machine: { bus: '/nonexistent', docker: '/nonexistent' } }
  const ended = attend({ ...nothing, gateway, clock, ids, say: (line) => said.push(line) }, stop.signal)
  /** Lets the agent get to its next sleep, then moves the time. */
  const pass = async (milliseconds: number): Promise<number> => {
    const before = asked.length
    await new Promise(setImmediate)
    clock.advance(milliseconds)
    await new Promise(setImmediate)
    return asked.length - before
  }
  return { said, asked, pass, stop: () => (stop.abort(), ended) }
}

test('without a realtime service an agent asks again every minute, and says so once [AGT-036]', async () => {
  const agent = start(realtime)
  await eventually(() => agent.asked.length === 1)
  assert.deepEqual([await agent.pass(59_999), await agent.pass(1), await agent.pass(60_000)], [0, 1, 1])
  assert.deepEqual(agent.said, ['the gateway answers; the fleet has no realtime service'])
  await agent.stop()
})

test('a gateway that does not answer is asked again soon, ever less often, and reported once [AGT-035]', async () => {
  const agent = start(new GatewayFailure('unreachable'))
  await eventually(() => agent.asked.length === 1)
  for (const pause of [2000, 2000, 4000, 8000, 15_000, 15_000])
    assert.deepEqual([await agent.pass(pause - 1), await agent.pass(1)], [0, 1], String(pause))
  assert.deepEqual(agent.said, ['unexpected response of the gateway: unreachable'])
  await agent.stop()
})

test('what stands behind an unreachable gateway is said, and that a clock may be wrong', async () => {
  const because = (code: string) =>
    new GatewayFailure(
      'unreachable',
      new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) }),
    )
  const agent = start(because('ECONNREFUSED'), because('CERT_HAS_EXPIRED'))
  await eventually(() => agent.asked.length === 1)
  await agent.pass(2000)
  await eventually(() => agent.said.length === 2)
  assert.deepEqual(agent.said, [
    'unexpected response of the gateway: unreachable (ECONNREFUSED)',
    'unexpected response of the gateway: unreachable (CERT_HAS_EXPIRED: compare the clock of this machine, date -u)',
  ])
  await agent.stop()
})

test('after an answer the next failure is tried again as soon as the first [AGT-035]', async () => {
  const down = new GatewayFailure('unreachable')
  const agent = start(down, down, down, realtime, down, realtime)
  await eventually(() => agent.asked.length === 1)
  for (const pause of [2000, 2000, 4000, 60_000, 2000]) assert.equal(await agent.pass(pause), 1)
  assert.equal(agent.said.length, 4)
  await agent.stop()
})

test('an answer of another shape is a failure', async () => {
  const agent = start({ ...realtime, channel: 7 })
  await eventually(() => agent.said.length === 1)
  assert.deepEqual(agent.said, ['unexpected response of the gateway: malformed_answer'])
  await agent.stop()
})

test('a stopped agent ends in the middle of its sleep', async () => {
  const agent = start(realtime)
  await eventually(() => agent.asked.length === 1)
  await agent.stop()
})
