import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { Secret, systemClock } from '@fleet/kernel'
import { eventually, FakeClock } from '@fleet/testing'
import { type HttpsGateway, type Reply, startHttpsGateway } from '@fleet/testing/https-gateway'
import { makeGateway } from './gateway.ts'

const SECRET = 'b'.repeat(64)
const open = new AbortController().signal

const configurationOf = (server: HttpsGateway, url = server.url) => ({
  gatewayUrl: new URL(url),
  gatewayAddress: '127.0.0.1',
  rootCertificate: server.root().certificate,
  secret: new Secret(SECRET),
})
const answering = (reply: Reply): Promise<HttpsGateway> => startHttpsGateway(systemClock, () => reply)

test('the secret travels as bearer value to the address, and the data come back [AGT-001]', async () => {
  await using server = await answering({ body: { data: { key: null }, meta: {} } })
  const data = await makeGateway(configurationOf(server), systemClock).get('realtime', open)
  assert.deepEqual(data, { key: null })
  assert.deepEqual(
    server.asked.map(({ method, url, headers }) => [method, url, headers.authorization]),
    [['GET', '/api/v1/agent/realtime', `Bearer ${SECRET}`]],
  )
})

test('nothing is sent to who is not under the root of the fleet, or has another name', async () => {
  await using server = await answering({ body: { data: {} } })
  const trusting = configurationOf(server)
  const otherName = { ...trusting, gatewayUrl: new URL(server.url.replace('127.0.0.1', 'gateway.fleet')) }
  await server.swapRoot()
  for (const configuration of [trusting, { ...otherName, rootCertificate: server.root().certificate }])
    await assert.rejects(makeGateway(configuration, systemClock).get('realtime', open), {
      code: 'unreachable',
    })
  assert.equal(server.asked.length, 0)
})

test('a refusal is reported by its code; what is no answer of a gateway has no text of its own', async () => {
  const cases: Array<readonly [Reply, string]> = [
    [{ status: 403, body: { error: { code: 'agent.secret_invalid' } } }, 'agent.secret_invalid'],
    [{ status: 502, body: '<html>' }, 'malformed_answer'],
    [{ status: 403, body: { error: { code: 'A text with\nlines' } } }, 'malformed_answer'],
    [{ status: 200, body: {} }, 'malformed_answer'],
    [{ status: 302, headers: { location: 'https://elsewhere' }, body: { data: 1 } }, 'malformed_answer'],
    [{ body: { data: 'x'.repeat(1_100_000) } }, 'answer_too_large'],
  ]
  for (const [reply, code] of cases) {
    await using server = await answering(reply)
    await assert.rejects(makeGateway(configurationOf(server), systemClock).get('realtime', open), { code })
  }
})

test('an address that takes connections and says nothing is given up after 10 s [AGT-034]', async () => {
  await using template = await answering({})
  await using silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number } // A listening TCP server has a port.
  const clock = new FakeClock()
  const asked = makeGateway(configurationOf(template, `https://127.0.0.1:${port}`), clock).get(
    'realtime',
    open,
  )
  const gaveUp = assert.rejects(asked, { code: 'timeout' })
  clock.advance(9999)
  await new Promise(setImmediate)
  clock.advance(1)
  await gaveUp
})

test('a gateway that takes the request and does not answer is given up after 30 s [AGT-034]', async () => {
  const held = Promise.withResolvers<Reply>()
  await using server = await startHttpsGateway(systemClock, () => held.promise)
  const clock = new FakeClock()
  const asked = makeGateway(configurationOf(server), clock).get('realtime', open)
  const gaveUp = assert.rejects(asked, { code: 'timeout' })
  await eventually(() => server.asked.length === 1)
  clock.advance(10_000)
  await new Promise(setImmediate)
  clock.advance(19_999)
  await new Promise(setImmediate)
  clock.advance(1)
  await gaveUp
  held.resolve({ body: {} })
})

test('the end of a run is reported once, to be answered without a body [SCHD-016, GW-022]', async () => {
  await using server = await answering({ status: 204 })
  await makeGateway(configurationOf(server), systemClock).complete('some-id', 'error', open)
  assert.deepEqual(
    server.asked.map(({ method, url, body }) => [method, url, body]),
    [['POST', '/api/v1/schedules/some-id/complete', '{"status":"error"}']],
  )
  await assert.rejects(makeGateway(configurationOf(server), systemClock).get('realtime', open), {
    code: 'malformed_answer',
  })
})
