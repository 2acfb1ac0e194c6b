import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Operation, operation } from '@fleet/contract'
import { type Access, type Call, ClientGone, type Journal } from '@fleet/fleet'
import { systemClock, systemIds, within } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import { testExecutor } from '@fleet/testing'
import * as z from 'zod'
import { Admission } from './admission.ts'
import { makeDispatch } from './dispatch.ts'
import { listen } from './listeners.ts'
import { mountOperations } from './routes.ts'
import { makeApp } from './server.ts'

const plain = operation({
  name: 'sample:plain',
  group: 'Nodes',
  method: 'POST',
  path: '/plain',
  access: 'peer',
  input: z.strictObject({}),
  output: z.strictObject({ id: z.int() }),
  summary: 'Make a sample',
})
const leaving: Operation = { ...plain, name: 'sample:leave', path: '/leaving', endsWithClient: true }
const streaming: Operation = { ...plain, name: 'sample:stream', path: '/lines', kind: 'stream' }
const sample: Operation = { ...plain, name: 'sample:make', path: '/samples', watchable: true }

const access: Access = {
  identify: async () => ({ id: 5, name: 'web-1', address: '127.0.0.1', isGateway: false }),
  locate: async () => ({ nodes: [] }),
  authorize: async () => undefined,
}
const nothing = (): undefined => undefined
const journal: Journal = {
  open: () => ({
    note: { target: nothing, subject: nothing, property: nothing, exitCode: nothing },
    caller: nothing,
    begin: async () => undefined,
    succeed: async () => undefined,
    fail: async () => undefined,
  }),
  closeInterrupted: async () => 0,
  closeInterruptedOf: async () => 0,
}

interface Wire extends AsyncDisposable {
  readonly admission: Admission
  readonly url: string
  /** Certificate that its own is signed by. */
  readonly ca: string
  ask(path: string, accept?: string): Promise<IncomingMessage>
}

/** The HTTP layer on a real socket, with one operation that works as the test says. */
async function wire(work: (call: Call) => Promise<{ id: number }>): Promise<Wire> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-watch-'))
  const clock = systemClock
  const root = await ensureRoot({ directory: join(directory, 'ca'), clock, name: 'Test root' })
  const leaf = await ensureLeaf({ directory, root, clock, names: [], addresses: ['127.0.0.1'] })
  const identity = { certificate: leaf.certificate, key: leaf.key.reveal() }
  const handler = async ({ call }: { call: Call }) => ({ data: await work(call) })
  const dispatch = makeDispatch({
    access,
    handlers: {
      'sample:make': handler,
      'sample:plain': handler,
      'sample:leave': handler,
      'sample:stream': handler,
    },
    clock,
    executor: testExecutor({ journal }),
  })
  const app = makeApp(identity)
  const admission = new Admission()
  mountOperations(app, [sample, plain, leaving, streaming], {
    dispatch,
    access,
    admission,
    ids: systemIds,
    clock,
  })
  const listeners = await listen(app, identity, [{ address: '127.0.0.1', port: 0 }], { clock })
  const [url = ''] = listeners.urls
  return {
    admission,
    url,
    ca: root.certificate,
    ask: (path, accept) =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json', ...(accept ? { accept } : {}) }
        const asked = request(new URL(`/api/v1${path}`, url), {
          method: 'POST',
          ca: root.certificate,
          agent: false,
          headers,
        })
        asked.once('response', resolve).once('error', reject)
        asked.end('{}')
      }),
    [Symbol.asyncDispose]: async () => {
      await listeners.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const NDJSON = 'application/x-ndjson'

async function textOf(response: IncomingMessage | ClientHttp2Stream): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

test('a watching client gets each step before the next one begins, and others the plain envelope', async () => {
  const read = Promise.withResolvers<void>()
  await using gateway = await wire(async (call) => {
    call.progress({ step: 'bootstrap', status: 'started' })
    await read.promise
    call.progress({ step: 'bootstrap', status: 'done' })
    return { id: 7 }
  })
  const response = await gateway.ask('/samples', NDJSON)
  assert.deepEqual([response.statusCode, response.headers['content-type']], [200, NDJSON])
  const chunks: string[] = []
  for await (const chunk of response.setEncoding('utf8')) {
    chunks.push(
      ...String(chunk)
        .matchAll(/"type":"(\w+)".*?"status":"?(\w+)/g)
        .map(([, type, status]) => `${type} ${status}`),
    )
    read.resolve()
  }
  assert.deepEqual(chunks, ['step started', 'step done', 'result 200'])
  for (const [path, accept] of [
    ['/samples', 'application/json'],
    ['/samples', undefined],
    ['/plain', NDJSON],
  ] as const) {
    const unwatched = await gateway.ask(path, accept)
    assert.match(unwatched.headers['content-type'] ?? '', /^application\/json/)
    assert.match(await textOf(unwatched), /^\{"data":\{"id":7\},"meta":/)
  }
})

test('a client that goes away aborts nothing, and a stop waits for the work behind the lines', async () => {
  const end = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const story: string[] = []
  await using gateway = await wire(async (call) => {
    call.signal.addEventListener('abort', () => story.push('aborted'))
    call.progress({ step: 'bootstrap', status: 'started' })
    await end.promise
    call.progress({ step: 'bootstrap', status: 'done' })
    story.push('worked')
    return { id: 7 }
  })
  const response = await gateway.ask('/samples', NDJSON)
  response.once('close', () => gone.resolve())
  response.destroy()
  await gone.promise
  const drained = gateway.admission.drain().then(() => story.push('drained'))
  end.resolve()
  await drained
  assert.deepEqual(story, ['worked', 'drained'])
})

test('a watching client gets the outcome of work that a stop has waited for, though it reads late', async () => {
  const end = Promise.withResolvers<void>()
  const gateway = await wire(async (call) => {
    call.progress({ step: 'bootstrap', status: 'started' })
    await end.promise
    return { id: 7 }
  })
  const response = await gateway.ask('/samples', NDJSON)
  const stopped = gateway.admission.drain().then(() => gateway[Symbol.asyncDispose]())
  end.resolve()
  await new Promise(setImmediate)
  assert.match(await textOf(response), /"type":"result","status":200/)
  await stopped
})

for (const version of ['1.1', '2'] as const)
  test(`work that ends with its client is aborted when a client of HTTP/${version} goes, and not by an answer [DEPL-025]`, async () => {
    const begun = Promise.withResolvers<Call>()
    await using gateway = await wire(async (call) => {
      begun.resolve(call)
      const { promise, resolve } = Promise.withResolvers<void>()
      call.signal.addEventListener('abort', () => resolve(), { once: true })
      await promise
      return { id: 7 }
    })
    const leave = version === '2' ? leaveSession(gateway) : leaveConnection(gateway)
    const { signal } = await begun.promise
    assert.equal(signal.aborted, false)
    leave()
    await gateway.admission.drain()
    assert.ok(signal.aborted && signal.reason instanceof ClientGone)

    let answered: Call | undefined
    await using other = await wire(async (call) => {
      answered = call
      return { id: 7 }
    })
    const session = connect(other.url, { ca: other.ca })
    const text = version === '2' ? await textOf(ask2(session)) : await textOf(await other.ask('/leaving'))
    await new Promise<void>((resolve) => session.close(resolve))
    assert.match(text, /"id":7/)
    assert.equal(answered?.signal.aborted, false)
  })

for (const version of ['1.1', '2'] as const)
  test(`the lines of work that outlives its client of HTTP/${version} wait for nobody`, async () => {
    const begun = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    let written = 0
    await using gateway = await wire(async (call) => {
      // More than a connection takes without a reader.
      const line = 'x'.repeat(100_000)
      void call.emit({ line }).then(() => begun.resolve())
      await gone.promise
      for (; written < 100; written += 1) await call.emit({ line })
      return { id: 7 }
    })
    const leave = version === '2' ? leaveSession(gateway, '/lines') : leaveConnection(gateway, '/lines')
    await begun.promise
    leave()
    gone.resolve()
    await gateway.admission.drain()
    assert.equal(written, 100)
  })

test('lines whose client of HTTP/2 has gone before the first one wait for nobody', async () => {
  const begun = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  let written = 0
  await using gateway = await wire(async (call) => {
    begun.resolve()
    await gone.promise
    for (; written < 3; written += 1) await call.emit({ written })
    return { id: 7 }
  })
  const session = connect(gateway.url, { ca: gateway.ca })
  const stream = ask2(session, '/lines')
  await begun.promise
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.close()
  await closed
  // Answered once the gateway has noticed that the stream has gone.
  await new Promise((resolve) => session.ping(resolve))
  gone.resolve()
  await within(systemClock, 5000, gateway.admission.drain())
  session.destroy()
  assert.equal(written, 3)
})

const ask2 = (session: ClientHttp2Session, path = '/leaving'): ClientHttp2Stream => {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/api/v1${path}`,
    'content-type': 'application/json',
  })
  stream.on('error', () => undefined)
  return stream.end('{}')
}

/** Asks, and returns what closes the connection. */
function leaveSession({ url, ca }: Wire, path?: string): () => void {
  const session = connect(url, { ca })
  ask2(session, path)
  return () => session.destroy()
}

function leaveConnection({ url, ca }: Wire, path = '/leaving'): () => void {
  const headers = { 'content-type': 'application/json' }
  const asked = request(new URL(`/api/v1${path}`, url), { method: 'POST', ca, agent: false, headers })
  asked.on('error', () => undefined)
  asked.end('{}')
  return () => asked.destroy()
}
