import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Closed } from '@fleet/pusher-client'
import { eventually, FakeClock } from '@fleet/testing'
import type { Gateway } from './gateway.ts'
import { runSession } from './session.ts'
import { Numbers } from './state-publisher.ts'

test('work that does not end with its session keeps the agent from no new one', async () => {
  const clock = new FakeClock()
  const [closed, asked] = [Promise.withResolvers<Closed>(), Promise.withResolvers<void>()]
  const gateway: Pick<Gateway, 'get' | 'authorize'> = {
    get: () => {
      asked.resolve()
      return new Promise(() => undefined)
    },
    authorize: () => Promise.resolve({ auth: 'a', channel_data: '{}' }),
  }
  const numbers = new Numbers()
  const connection = {
    closed: closed.promise,
    socketId: '1.1',
    buffered: 0,
    onMessage: () => undefined,
    trigger: () => undefined,
    subscribe: () => Promise.resolve(new Map<string, unknown>()),
    unsubscribe: () => undefined,
    [Symbol.dispose]: () => undefined,
  }
  let hasEnded = false
  const session = runSession(
    { gateway, clock, numbers, machine: { bus: undefined, docker: undefined }, say: () => undefined },
    { channel: 'a', log_channel: 'b' },
    connection,
    () => undefined,
  ).then(() => (hasEnded = true))
  await asked.promise
  const before = clock.waiting
  closed.resolve({ code: undefined, reason: '' })
  await eventually(() => clock.waiting > before)
  assert.equal(hasEnded, false)
  clock.advance(5000)
  await session
})
