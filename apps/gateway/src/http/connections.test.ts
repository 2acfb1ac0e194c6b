import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { fail } from '@fleet/contract'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'
import { FakeClock } from '@fleet/testing'
import { Admission } from './admission.ts'
import { failure } from './answer.ts'
import { ConnectionCounts } from './connection-counts.ts'
import { listen, type ListenDeps } from './listeners.ts'
import { mountReference } from './reference.ts'
import { sendAnswer } from './send.ts'
import { makeApp } from './server.ts'

interface Served {
  readonly clock: FakeClock
  readonly port: number
  /** How often the reader of the reference page was read from its file. */
  readonly reads: () => number
  /** Closes the listeners. */
  close(): Promise<void>
  /** Answers a request for `/gated` and closes the listeners at once. */
  openGate(): Promise<void>
  session(settings?: { readonly initialWindowSize: number }): Promise<ClientHttp2Session>
  socket(): TLSSocket
}

async function serve(context: TestContext, deps: Partial<ListenDeps> = {}): Promise<Served> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-connections-'))
  const root = await ensureRoot({ directory, clock: systemClock, name: 'Fleet root' })
  const leaf = await issueLeaf(root, { clock: systemClock, names: ['localhost'], addresses: [] })
  const identity = { certificate: leaf.certificate, key: leaf.key.reveal() }
  const app = makeApp(identity)
  let reads = 0
  mountReference(
    app,
    () => ({}),
    new Admission(),
    async () => Buffer.alloc((reads += 1) * 200_000),
  )
  app.get('/unknown', (_request, reply) =>
    sendAnswer(reply, 'id', failure('id', fail('peer.identity_unknown'))),
  )
  app.post('/read', (request) => once(request.raw, 'data').then(() => 'read'))
  app.get('/large', (_request, reply) => reply.send(Buffer.alloc(64 * 1024 * 1024)))
  const gate = Promise.withResolvers<string>()
  app.get('/gated', () => gate.promise)
  app.get('/slow', () => new Promise(() => undefined))
  const clock = new FakeClock()
  const listeners = await listen(app, identity, [{ address: '127.0.0.1', port: 0 }], { clock, ...deps })
  const { port } = new URL(listeners.urls[0] ?? '')
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= listeners.close())
  const opened: { destroy(): void }[] = []
  context.after(async () => {
    for (const one of opened) one.destroy()
    const ended = close()
    clock.advance(1000)
    await ended
    rmSync(directory, { recursive: true })
  })
  return {
    clock,
    port: Number(port),
    reads: () => reads,
    close,
    openGate: () => {
      gate.resolve('answer')
      return close()
    },
    session: async (settings) => {
      const session = connect(`https://127.0.0.1:${port}`, {
        rejectUnauthorized: false,
        ...(settings ? { settings } : {}),
      })
      session.on('error', () => undefined)
      opened.push(session)
      await once(session, 'remoteSettings')
      return session
    },
    socket: () => {
      const socket = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false })
      socket.on('error', () => undefined)
      opened.push(socket)
      return socket
    },
  }
}

/** Of each answer: more comes only for what was read. */
const SMALL_WINDOW = { initialWindowSize: 2000 }

const get = async (session: ClientHttp2Session, path: string): Promise<number> => {
  const stream = session.request({ ':path': path })
  const [headers] = (await once(stream, 'response')) as [{ readonly ':status': number }] // The event's own arguments.
  stream.resume()
  await once(stream, 'close')
  return headers[':status']
}

/** Not `once`, which rejects with the error that may come before. */
const endOf = (connection: { once(event: 'close', then: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => void connection.once('close', resolve))

/** Moves the clock in the steps in which sessions are checked. */
async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a session without a request ends after 15 s, whatever else its client sends', async (context) => {
  const { clock, session } = await serve(context)
  const idle = await session()
  await pass(clock, 14)
  await new Promise((resolve) => idle.ping(resolve))
  assert.equal(idle.closed, false)
  await pass(clock, 1)
  await endOf(idle)
})

test('an answer that is given as the listeners close still leaves, and no session without one holds them up', async (context) => {
  const { session, openGate } = await serve(context)
  const [asking] = await Promise.all([session(), session()])
  const stream = asking.request({ ':path': '/gated' }).setEncoding('utf8')
  await new Promise((resolve) => asking.ping(resolve))
  let text = ''
  stream.on('data', (chunk: string) => (text += chunk))
  // The clock stands: nothing is cut off.
  await Promise.all([openGate(), endOf(stream)])
  assert.equal(text, 'answer')
})

test('a session whose answer does not come is cut off in the end', async (context) => {
  const { session, close, clock } = await serve(context)
  const asking = await session()
  asking.request({ ':path': '/slow' }).on('error', () => undefined)
  await new Promise((resolve) => asking.ping(resolve))
  const closing = close()
  await pass(clock, 2)
  await Promise.all([closing, endOf(asking)])
})

test('a session is kept for 75 s after a request, and for as long as one is open', async (context) => {
  const { clock, session } = await serve(context)
  const [used, busy] = await Promise.all([session(), session()])
  assert.equal(await get(used, '/healthz'), 200)
  const slow = busy.request({ ':path': '/slow' })
  slow.on('error', () => undefined)
  await new Promise((resolve) => busy.ping(resolve))
  await pass(clock, 74)
  assert.equal(used.closed, false)
  await pass(clock, 1)
  await endOf(used)
  await pass(clock, 600)
  assert.equal(busy.destroyed, false)
})

test('a session ends whose client does not read an answer for 60 s', async (context) => {
  const { clock, session } = await serve(context)
  const closed = await session({ initialWindowSize: 0 })
  const stream = closed.request({ ':path': '/docs/rapidoc-min.js' })
  stream.on('error', () => undefined)
  await once(stream, 'response')
  await pass(clock, 59)
  assert.equal(closed.destroyed, false)
  await pass(clock, 2)
  await endOf(closed)
})

test('a session ends whose client reads its answers byte by byte', async (context) => {
  const { clock, session } = await serve(context)
  const [slow, fair] = await Promise.all([session(SMALL_WINDOW), session(SMALL_WINDOW)])
  const streams = [slow, fair].map((one) => {
    const stream = one.request({ ':path': '/docs/rapidoc-min.js' })
    stream.on('error', () => undefined)
    return stream
  })
  await Promise.all(streams.map((stream) => once(stream, 'response')))
  for (let second = 0; second < 58; second += 1) {
    streams[0]?.read(1)
    streams[1]?.read(1100)
    for (const one of [slow, fair]) await new Promise((resolve) => one.ping(resolve))
    await pass(clock, 1)
  }
  assert.deepEqual([slow.destroyed, fair.destroyed], [false, false])
  streams[1]?.read(8000)
  await new Promise((resolve) => fair.ping(resolve))
  const ended = endOf(slow)
  await pass(clock, 3)
  await ended
  assert.equal(fair.destroyed, false)
})

test('a connection of HTTP/1.1 ends whose client does not read an answer for 60 s, or hardly', async (context) => {
  const { clock, socket } = await serve(context)
  const opened = async (): Promise<TLSSocket> => {
    const one = socket()
    one.on('readable', () => undefined)
    await once(one, 'secureConnect')
    // More than the system keeps for a client.
    one.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(one, 'readable')
    return one
  }
  const [unread, read] = await Promise.all([opened(), opened()])
  for (let second = 0; second < 59; second += 1) {
    unread.read(1)
    read.read()
    await new Promise((resolve) => setImmediate(resolve))
    await pass(clock, 1)
  }
  assert.deepEqual([unread.destroyed, read.destroyed], [false, false])
  const ended = endOf(unread)
  await pass(clock, 3)
  unread.removeAllListeners('readable').resume()
  await ended
  assert.equal(read.destroyed, false)
})

test('a session ends whose client continues with a body after the answer', async (context) => {
  const { clock, session } = await serve(context)
  const endless = await session()
  const stream = endless.request({ ':path': '/read', ':method': 'POST' }, { endStream: false })
  stream.on('error', () => undefined)
  stream.resume().write('a')
  await once(stream, 'end')
  stream.write('b')
  await pass(clock, 58)
  await new Promise((resolve) => endless.ping(resolve))
  assert.equal(endless.destroyed, false)
  const ended = endOf(endless)
  await pass(clock, 2)
  await ended
})

test('the files of the reference page are read once', async (context) => {
  const { session, reads } = await serve(context)
  const reader = await session()
  assert.equal(await get(reader, '/docs/rapidoc-min.js'), 200)
  assert.equal(await get(reader, '/docs/rapidoc-min.js'), 200)
  assert.equal(reads(), 1)
})

test('a connection of an unknown address ends with its refusal', async (context) => {
  const { session, socket } = await serve(context)
  const stranger = await session()
  assert.equal(await get(stranger, '/unknown'), 403)
  if (!stranger.destroyed) await endOf(stranger)
  const old = socket()
  old.write('GET /unknown HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let text = ''
  old.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  await endOf(old)
  assert.match(text, /^HTTP\/1\.1 403 [^]*peer\.identity_unknown/)
})

test('strangers leave room for Nodes', async (context) => {
  let known = false
  const limits = { ofServer: 100, ofAddress: 5, ofStranger: 2, ofStrangers: 100 }
  const { session, socket } = await serve(context, { isKnown: async () => known, limits })
  await session()
  await session()
  await endOf(socket())
  known = true
  for (let node = 0; node < 3; node += 1) assert.equal(await get(await session(), '/healthz'), 200)
  await endOf(socket())
})

test('a connection whose address cannot be looked up has the room of a stranger and gets its answer, and the fault is reported', async (context) => {
  const faults: unknown[] = []
  const limits = { ofServer: 100, ofAddress: 5, ofStranger: 2, ofStrangers: 100 }
  const isKnown = (): Promise<boolean> => Promise.reject(new Error('no database'))
  const onFault = (error: unknown): unknown => faults.push(error)
  const { session, socket } = await serve(context, { isKnown, onFault, limits })
  for (let count = 0; count < 2; count += 1) assert.equal(await get(await session(), '/healthz'), 200)
  await endOf(socket())
  assert.deepEqual(
    faults.map((fault) => fault instanceof Error && fault.message),
    ['no database', 'no database', 'no database'],
  )
})

test('strangers are counted by address, by network with IPv6, and together', () => {
  const counts = new ConnectionCounts({ ofServer: 100, ofAddress: 3, ofStranger: 2, ofStrangers: 3 })
  const first = counts.enterStranger('fd00::1')
  assert.ok(first)
  assert.ok(counts.enterStranger('fd00::2'))
  assert.equal(counts.enterStranger('fd00::3'), undefined)
  assert.ok(counts.enterStranger('10.0.0.1'))
  assert.equal(counts.enterStranger('10.0.0.2'), undefined)
  first()
  assert.ok(counts.enterStranger('10.0.0.2'))
  for (let count = 0; count < 3; count += 1) assert.ok(counts.enter('10.0.0.1'))
  assert.equal(counts.enter('10.0.0.1'), undefined)
  assert.ok(counts.enter('10.0.0.2'))
})
