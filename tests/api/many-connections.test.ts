import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { ADDRESS, type From, startTestGateway, type TestGateway } from './harness.ts'

/** Statuses of so many requests at one moment, each on a connection of its own that stays open; 0 for one without an answer. */
async function atOnce({ url, ca }: TestGateway, from: From, count: number, path: string): Promise<number[]> {
  const agent = new Agent({ ca, keepAlive: true, localAddress: ADDRESS[from] })
  const ask = (): Promise<number> =>
    new Promise((resolve) => {
      request(new URL(path, url), { agent }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode ?? 0))
      })
        .once('error', () => resolve(0))
        .end()
    })
  try {
    return await Promise.all(Array.from({ length: count }, ask))
  } finally {
    agent.destroy()
  }
}

test('a Node may have many connections at one time: a burst of requests is answered as each of them alone [API-025]', async () => {
  await using fleet = await startTestGateway()
  for (const from of ['gateway', 'granted'] as const)
    assert.deepEqual(
      await atOnce(fleet, from, 80, '/api/v1/nodes'),
      Array.from({ length: 80 }, () => 200),
    )
})

test('an address that belongs to no active Node has 32 connections', async () => {
  await using fleet = await startTestGateway()
  const { hostname: host, port } = new URL(fleet.url)
  for (const from of ['unknown', 'inactive'] as const) {
    const sockets = new Set<TLSSocket>()
    const closed = Promise.withResolvers<void>()
    for (let at = 0; at < 40; at += 1) {
      const plain = connect({ host, port: Number(port), localAddress: ADDRESS[from] })
      const socket = connectTls({ socket: plain.on('error', () => undefined), host, ca: fleet.ca })
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .once('close', () => {
          sockets.delete(socket)
          if (sockets.size === 32) closed.resolve()
        })
    }
    await closed.promise
    assert.deepEqual(
      await Promise.all([...sockets].map(statusOver)),
      Array.from(sockets, () => 200),
      from,
    )
    assert.equal(sockets.size, 32, from)
    for (const socket of sockets) socket.destroy()
  }
})

/** Of a request on the connection, which stays open. */
async function statusOver(socket: TLSSocket): Promise<number> {
  socket.write('GET /api/v1/gateway/status HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  const [head] = (await once(socket, 'data')) as [Buffer] // What the event has.
  return Number(/^HTTP\/1\.1 (\d+)/.exec(head.toString())?.[1])
}
