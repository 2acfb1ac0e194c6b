import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { eventually } from '@fleet/testing'
import { openBus } from './bus.ts'

const SOON_MILLISECONDS = 50
const never = (): AbortSignal => new AbortController().signal

/** A bus for the test, which does with a connection what it is told. */
async function startBus(context: TestContext, take: (socket: Socket) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-bus-'))
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => undefined))
    take(socket)
  })
  const path = join(folder, 'bus')
  await once(server.listen(path), 'listening')
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return { path, sockets }
}

test('a bus that takes the connection and says nothing is no bus, and the agent lives on', async (context) => {
  const bus = await startBus(context, (socket) => void socket.resume())
  await assert.rejects(openBus(bus.path, never(), SOON_MILLISECONDS), { name: 'TimeoutError' })
  await eventually(() => bus.sockets.size === 0)
})

test('a bus that lets the agent in and answers nothing is no bus either', async (context) => {
  const bus = await startBus(context, (socket) => {
    socket.on('data', (chunk) => chunk.includes('AUTH') && socket.write(`OK ${'0'.repeat(32)}\r\n`))
  })
  await assert.rejects(openBus(bus.path, never(), SOON_MILLISECONDS), { name: 'TimeoutError' })
  await eventually(() => bus.sockets.size === 0)
})

test('a bus that hangs up is no bus', async (context) => {
  const bus = await startBus(context, (socket) => void socket.destroy())
  await assert.rejects(openBus(bus.path, never(), SOON_MILLISECONDS))
})
