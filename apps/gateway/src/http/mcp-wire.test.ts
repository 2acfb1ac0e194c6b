import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { operation } from '@fleet/contract'
import type { Access } from '@fleet/fleet'
import { systemClock, systemIds, within } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import { FakeClock } from '@fleet/testing'
import * as z from 'zod'
import { Admission } from './admission.ts'
import type { Answer } from './answer.ts'
import { listen } from './listeners.ts'
import { mountMcp } from './mcp.ts'
import { makeApp } from './server.ts'

const sample = operation({
  name: 'sample:make',
  group: 'Nodes',
  method: 'POST',
  path: '/samples',
  access: 'peer',
  input: z.strictObject({}),
  output: z.strictObject({}),
  summary: 'Make a sample',
})

const access: Access = {
  identify: async () => ({ id: 5, name: 'web-1', address: '127.0.0.1', isGateway: false }),
  locate: async () => ({ nodes: [] }),
  authorize: async () => undefined,
}

interface Wire extends AsyncDisposable {
  /** Of the calls; sockets have the one of the system. */
  readonly clock: FakeClock
  readonly admission: Admission
  readonly session: ClientHttp2Session
  /** One tool call over HTTP/2. */
  call(): ClientHttp2Stream
}

/** The endpoint on a real socket, with one tool that works as the test says. */
async function wire(dispatch: () => Promise<Answer>): Promise<Wire> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-mcp-'))
  const clock = new FakeClock()
  const system = { clock: systemClock }
  const root = await ensureRoot({ directory: join(directory, 'ca'), ...system, name: 'Test root' })
  const leaf = await ensureLeaf({ directory, root, ...system, names: [], addresses: ['127.0.0.1'] })
  const identity = { certificate: leaf.certificate, key: leaf.key.reveal() }
  const app = makeApp(identity)
  const admission = new Admission()
  const catalogue = [sample]
  mountMcp(app, { dispatch, access, admission, ids: systemIds, clock, catalogue, version: 'test' })
  const listeners = await listen(app, identity, [{ address: '127.0.0.1', port: 0 }], system)
  const session = connect(listeners.urls[0] ?? '', { ca: root.certificate })
  return {
    clock,
    admission,
    session,
    call: () => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/mcp',
        'content-type': 'application/json',
      })
      stream.on('error', () => undefined)
      const params = { name: 'sample-make', arguments: {} }
      return stream.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    },
    [Symbol.asyncDispose]: async () => {
      session.destroy()
      await listeners.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Ends when the gateway has noticed it. */
async function leave({ session }: Wire, stream: ClientHttp2Stream): Promise<void> {
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.close()
  await closed
  await new Promise((resolve) => session.ping(resolve))
}

for (const when of ['before its answer', 'in the middle of its answer'] as const)
  test(`a call whose client has gone over HTTP/2 ${when} keeps its place until its work has ended, and no longer`, async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const story: string[] = []
    await using gateway = await wire(async () => {
      begun.resolve()
      await end.promise
      story.push('worked')
      return { status: 200, body: '{}' }
    })
    const stream = gateway.call()
    await begun.promise
    if (when !== 'before its answer') {
      gateway.clock.advance(15_000)
      await once(stream, 'data')
    }
    await leave(gateway, stream)
    const drained = gateway.admission.drain().then(() => story.push('drained'))
    end.resolve()
    await within(systemClock, 5000, drained)
    assert.deepEqual(story, ['worked', 'drained'])
  })

test('a call that takes long sends white space every 15 s, so that no client takes the gateway for silent', async () => {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  await using gateway = await wire(async () => {
    begun.resolve()
    await end.promise
    return { status: 200, body: '{}' }
  })
  const stream = gateway.call().setEncoding('utf8')
  const head = once(stream, 'response')
  await begun.promise
  gateway.clock.advance(15_000)
  const [headers] = await head
  assert.deepEqual(
    [headers[':status'], headers['content-type'], typeof headers['x-fleet-request-id']],
    [200, 'application/json; charset=utf-8', 'string'],
  )
  const chunks: unknown[] = []
  for (let count = 0; count < 2; count += 1) {
    chunks.push(...(await once(stream, 'data')))
    gateway.clock.advance(15_000)
  }
  chunks.push(...(await once(stream, 'data')))
  end.resolve()
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  assert.deepEqual(chunks, [' ', ' ', ' '])
  assert.deepEqual(JSON.parse(text), {
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: '{}' }] },
  })
})
