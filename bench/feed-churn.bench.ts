// 10,000 connections that join a presence channel and leave again, with an exact count at the end, beside connecting alone
// to ws; then the same in smaller rounds for a while, with memory at the end beside that after the first rounds.
import { setTimeout as sleep } from 'node:timers/promises'
import { signRequest } from '@fleet/pusher'
import { type Measure, measure } from './measure.ts'
import { BENCH_APP } from './websocket/app.ts'
import { type Client, join, joinMany, leave } from './websocket/client.ts'
import { gather, saturate } from './websocket/fan-out.ts'
import { cpuSeconds, pinLoad, type Server, startServer } from './websocket/server.ts'

const CONNECTIONS = 10_000
const SOAK_CONNECTIONS = 500
const SOAK_ROUNDS = 24
const FIRST_ROUNDS = 8

export async function* run(): AsyncGenerator<Measure> {
  pinLoad()
  const UNIT = 'connections per second of a core'
  const ours = await opened('fleet')
  yield measure('feed-connections', UNIT, ours, 'ws, without a channel', await opened('naive'))
  const [early, late] = await soak()
  yield measure(
    'feed-soak-memory',
    'KiB that live',
    late,
    `after ${FIRST_ROUNDS} of ${SOAK_ROUNDS} rounds`,
    early,
  )
}

async function opened(kind: 'fleet' | 'naive'): Promise<number> {
  using server = await startServer(kind, 'plain', '')
  leave(await joinMany(300, () => join(server)))
  const cpu = cpuSeconds(server.pid)
  // Half as many users as connections, on a channel of their own for every hundred connections.
  const clients = await joinMany(CONNECTIONS, (index) => join(server, { member: memberOf(index) }))
  if (kind === 'fleet') await requireUsers(server, CONNECTIONS / 2)
  const half = clients.filter((_, index) => index % 2 === 0)
  leave(half)
  if (kind === 'fleet') await requireConnections(server, CONNECTIONS - half.length)
  leave(clients)
  if (kind === 'fleet') await requireUsers(server, 0)
  return CONNECTIONS / (cpuSeconds(server.pid) - cpu)
}

const memberOf = (index: number) => ({
  channel: `presence-bench-${Math.floor(index / 100)}`,
  user: `user-${Math.floor(index / 2)}`,
})

/** Throws when the server does not have exactly so many connections in the end. */
async function requireConnections(server: Server, wanted: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const count = await countConnections(server)
    if (count === wanted) return
    if (tries > 200) throw new Error(`not ${wanted} connections but ${count}`)
    await sleep(50)
  }
}

async function countConnections({ port }: Server): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^fleet_websocket_connections (\d+)$/m.exec(metrics)?.[1])
}

/** Throws when the presence channels do not have exactly so many users in the end. */
async function requireUsers(server: Server, wanted: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const users = await countUsers(server)
    if (users === wanted) return
    if (tries > 200) throw new Error(`not ${wanted} users but ${users}`)
    await sleep(50)
  }
}

async function countUsers({ port }: Server): Promise<number> {
  const path = `/apps/${BENCH_APP.id}/channels`
  const asked = { filter_by_prefix: 'presence-', info: 'user_count' }
  const seconds = Math.floor(Date.now() / 1000)
  const query = new URLSearchParams(
    signRequest(BENCH_APP, { method: 'GET', path, query: asked }, '', seconds),
  )
  const answer = await fetch(`http://127.0.0.1:${port}${path}?${query.toString()}`)
  const { channels } = (await answer.json()) as { channels: Record<string, { user_count: number }> } // as: the API answers it.
  return Object.values(channels).reduce((sum, { user_count }) => sum + user_count, 0)
}

/** KiB that live after some rounds and after all: connections come and go, and events reach those that are there. */
async function soak(): Promise<readonly [number, number]> {
  using server = await startServer('fleet', 'plain', '')
  using audience = await gather(server, 100)
  let early = 0
  for (let round = 1; round <= SOAK_ROUNDS; round += 1) {
    const clients: readonly Client[] = await joinMany(SOAK_CONNECTIONS, (index) =>
      join(server, { member: memberOf(index) }),
    )
    await saturate(audience, 16, 0.3)
    leave(clients)
    await requireUsers(server, 0)
    if (round === FIRST_ROUNDS) early = await server.collect()
  }
  return [early, await server.collect()]
}
