// Signed publishes over HTTP, one subscriber, beside a node:http server that parses the body and answers `{}` unsigned.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { signRequest } from '@fleet/pusher'
import { type Measure, measure, median } from './measure.ts'
import { BENCH_APP, BENCH_CHANNEL } from './websocket/app.ts'
import { join, leave } from './websocket/client.ts'
import { cpuSeconds, pinLoad, type Server, startServer } from './websocket/server.ts'

const CONNECTIONS = 16
const ROUNDS = 3
const SECONDS = 1
const UNIT = 'publishes per second of a core'

export async function* run(): AsyncGenerator<Measure> {
  pinLoad()
  using ours = await startServer('fleet', 'plain', '')
  using bare = await startServer('http', 'plain', '')
  const subscriber = await join(ours)
  const rates: Record<'fleet' | 'http', number[]> = { fleet: [], http: [] }
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const server of [ours, bare]) {
      const rate = await publishes(server)
      if (round > 0) rates[server === ours ? 'fleet' : 'http'].push(rate)
    }
  }
  leave([subscriber])
  yield measure(
    'feed-signed-publish',
    UNIT,
    median(rates.fleet),
    'bare node:http, not signed',
    median(rates.http),
  )
}

/** The same signed request again and again, over connections that stay open: the load signs nothing. */
async function publishes(server: Server): Promise<number> {
  const body = JSON.stringify({
    name: 'tick',
    channel: BENCH_CHANNEL,
    data: JSON.stringify({ value: 'x'.repeat(200) }),
  })
  const request = Buffer.from(head(body) + body)
  const ending = new AbortController()
  let answers = 0
  const lanes = Array.from({ length: CONNECTIONS }, async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port })
    await once(socket, 'connect')
    while (!ending.signal.aborted) {
      await ask(socket, request)
      answers += 1
    }
    socket.destroy()
  })
  const cpu = cpuSeconds(server.pid)
  await sleep(SECONDS * 1000)
  ending.abort()
  await Promise.all(lanes)
  return answers / (cpuSeconds(server.pid) - cpu)
}

function head(body: string): string {
  const path = `/apps/${BENCH_APP.id}/events`
  const seconds = Math.floor(Date.now() / 1000)
  const query = new URLSearchParams(
    signRequest(BENCH_APP, { method: 'POST', path, query: {} }, body, seconds),
  )
  return `POST ${path}?${query.toString()} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
}

function ask(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('data', (answer: Buffer) => {
      if (answer.subarray(0, 12).toString() === 'HTTP/1.1 200') resolve()
      else reject(new Error(answer.toString()))
    })
    socket.write(request)
  })
}
