import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Secret, systemClock } from '@fleet/kernel'
import type { ServerTarget } from '#/access.ts'
import { Spares } from '#/spares/spares.ts'
import { startTimeLimit } from '#/time/time-limit.ts'
import { type Engine, type Session, withSession } from './with-session.ts'

const target: ServerTarget = {
  engine: 'pgsql',
  open: () => Promise.reject(new Error('nobody opens it')),
  username: 'reader',
  password: new Secret('word'),
  database: 'shop',
}

const session = (): Session => ({
  cutOff: () => undefined,
  heard: () => new Promise(() => undefined),
  [Symbol.dispose]: () => undefined,
})

const engineThat = (end: () => Promise<void>): Engine<Session, undefined> => ({
  clock: systemClock,
  spares: new Spares({ clock: systemClock, isFull: () => false }),
  connect: async () => session(),
  makeReady: async (made) => ({ session: made, known: undefined }) as never, // Nothing is kept ready here.
  end,
  loginFailure: (error) => error as Error, // As it came.
  isFull: () => false,
  isLost: () => false,
})

const failureOf = async (end: () => Promise<void>): Promise<unknown> => {
  using limit = startTimeLimit(systemClock, { timeoutMilliseconds: 10 })
  const work = { prepare: async () => undefined, run: () => new Promise<never>(() => undefined) }
  const failure: unknown = await withSession(engineThat(end), { target, limit }, work).catch(
    (error: unknown) => error,
  )
  return Object(failure).details
}

test('a statement that the server ended is said to be ended, and one that it did not to be running still', async () => {
  assert.deepEqual(await failureOf(() => Promise.resolve()), { reason: 'time' })
  assert.deepEqual(await failureOf(() => Promise.reject(new Error('still there'))), {
    reason: 'time',
    still_running: true,
  })
})
