import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { eventually, FakeClock } from '@fleet/testing'
import { startHttpsGateway } from '@fleet/testing/https-gateway'
import { httpsTransport } from './transport.ts'

const asked = (url: string) => ({
  method: 'GET',
  url,
  headers: {},
  body: undefined,
  signal: new AbortController().signal,
})

test('a gateway to which no connection comes about is given up after 15 seconds', async () => {
  const clock = new FakeClock()
  const sockets: Socket[] = []
  const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const { port } = silent.address() as AddressInfo // A listening TCP server has an address object.
  const send = httpsTransport({ ca: undefined, clock })
  const answer = assert.rejects(send(asked(`https://127.0.0.1:${port}/`)), {
    message: 'no connection within 15 seconds',
  })
  await eventually(() => sockets.length === 1)
  clock.advance(15_000)
  await answer
  for (const socket of sockets) socket.destroy()
  silent.close()
})

test('an answer over a connection may take longer', async () => {
  const clock = new FakeClock()
  await using gateway = await startHttpsGateway(systemClock, () => {
    clock.advance(600_000)
    return { body: { data: 'late' } }
  })
  const send = httpsTransport({ ca: gateway.root().certificate, clock })
  const { status } = await send(asked(gateway.url))
  assert.deepEqual([status, clock.waiting], [200, 0])
})
