import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '@fleet/contract'
import { systemClock, systemIds } from '@fleet/kernel'
import type { LogRequest } from '#/logs/stream.ts'
import { LogStreams } from '#/logs/streams.ts'

const nothing = (): void => undefined

test('each stream has an id of 128 random bits, which no client can list [LOGS-014]', () => {
  const wish = { nodeId: 7 } as unknown as LogRequest // Opening reads nothing else of it.
  const idFromStart = (): string =>
    new LogStreams({ clock: systemClock, ids: systemIds, notify: nothing, wake: nothing }).open(wish).id
  const ids = Array.from({ length: 20 }, idFromStart)
  for (const id of ids) assert.match(id, /^[\da-f]{32}$/)
  assert.equal(new Set(ids).size, ids.length)
  const lists = catalogue.filter(({ method, path }) => method === 'GET' && path.includes('log-streams'))
  assert.deepEqual(
    lists.map(({ access, path }) => [access, path]),
    [['agent', '/agent/log-streams']],
  )
})
