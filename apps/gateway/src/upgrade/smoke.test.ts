import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { nextTurn, systemClock } from '@fleet/kernel'
import { ensureLeaf, ensureRoot } from '@fleet/pki'
import { FakeClock } from '@fleet/testing'
import { type GatewayEnv, readEnv } from '#/env.ts'
import { noteTick } from '#/jobs/tick.ts'
import { requireSmoke, requireTick } from './smoke.ts'

interface Page {
  readonly status: number
  readonly body: unknown
}

const READY: Page = { status: 200, body: { data: { version: 'v2', status: 'ready' } } }
const NODES: Page = { status: 200, body: { data: [{ roles: ['gateway', 'vpn'], status: 'active' }] } }

/** A gateway that answers two pages under its own certificate. `pages` may change between requests. */
async function startAnswering() {
  const home = mkdtempSync(join(tmpdir(), 'fleet-smoke-'))
  const root = await ensureRoot({ directory: join(home, 'ca'), clock: systemClock, name: 'Fleet root' })
  const leaf = await ensureLeaf({
    directory: join(home, 'tls'),
    root,
    clock: systemClock,
    names: ['gateway.fleet', 'localhost'],
    addresses: [],
  })
  const pages = { '/api/v1/gateway/status': [READY], '/api/v1/nodes': [NODES] }
  const asked: string[] = []
  const server = createServer(
    { cert: leaf.certificate, key: leaf.key.reveal() },
    ({ url, headers }, answer) => {
      asked.push(`${headers.host?.replace(/:\d+$/, '')}${url}`)
      const left = pages[url as keyof typeof pages] // The two pages that are asked for.
      const { status, body } = (left.length > 1 ? left.shift() : left[0]) ?? assert.fail(url)
      answer.writeHead(status).end(JSON.stringify(body))
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP.
  const env = readEnv({
    FLEET_HOME: home,
    FLEET_LISTEN: `127.0.0.1:${port}`,
    FLEET_GATEWAY_RELEASE_SMOKE_TIMEOUT: '1',
  })
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    rmSync(home, { recursive: true })
  }
  return { env, pages, asked, origin: `https://gateway.fleet:${port}`, [Symbol.asyncDispose]: close }
}

/** Time passes at each pause. */
class HastyClock extends FakeClock {
  override sleep(milliseconds: number): Promise<void> {
    this.advance(milliseconds)
    return nextTurn()
  }
}

const failure = async (env: GatewayEnv): Promise<string> => {
  const error: unknown = await requireSmoke('v2', new HastyClock(), env).then(
    () => assert.fail('it passed'),
    (reason: unknown) => reason,
  )
  return error instanceof Error ? error.message : assert.fail('no error')
}

test('a release passes once it answers its version, ready, and lists the gateway, at its private origin', async () => {
  await using gateway = await startAnswering()
  const starting = { status: 200, body: { data: { version: 'v2', status: 'starting' } } }
  gateway.pages['/api/v1/gateway/status'] = [{ status: 503, body: {} }, starting, READY]
  await requireSmoke('v2', new HastyClock(), gateway.env)
  const status = 'gateway.fleet/api/v1/gateway/status'
  assert.deepEqual(gateway.asked, [status, status, status, 'gateway.fleet/api/v1/nodes'])
})

test('behind a proxy with a certificate of a public authority the check trusts that one too, and at the private origin it does not', async () => {
  await using gateway = await startAnswering()
  await using proxy = await startAnswering()
  const asked = {
    ...gateway.env,
    FLEET_GATEWAY_VERIFY_ORIGIN: proxy.origin.replace('gateway.fleet', 'localhost'),
  }
  assert.match(await failure(asked), /failed: .*certificate/)
  const before = getCACertificates('default')
  const authority = readFileSync(join(proxy.env.FLEET_HOME, 'ca/root.crt'), 'utf8')
  try {
    setDefaultCACertificates([...before, authority])
    await requireSmoke('v2', new HastyClock(), asked)
    const home = gateway.env.FLEET_HOME
    const own = { ...proxy.env, FLEET_HOME: home }
    assert.match(await failure(own), /failed: .*certificate/)
  } finally {
    setDefaultCACertificates(before)
  }
})

test('the version may be the operator’s own word', async () => {
  await using gateway = await startAnswering()
  const named = { ...gateway.env, APP_VERSION: 'summer' }
  assert.match(await failure(named), /version v2 answered$/)
  gateway.pages['/api/v1/gateway/status'] = [
    { status: 200, body: { data: { version: 'summer', status: 'ready' } } },
  ]
  await requireSmoke('v2', new HastyClock(), named)
})

test('a release that answers another version, another status, an error or no gateway fails with the reason', async () => {
  await using gateway = await startAnswering()
  const wrong = `the smoke check of ${gateway.origin} failed:`
  for (const [page, why] of [
    [{ status: 200, body: { data: { version: 'v1', status: 'ready' } } }, 'version v1 answered'],
    [
      { status: 200, body: { data: { version: 'v2', status: 'draining' } } },
      'it reports the status draining',
    ],
    [{ ...READY, status: 500 }, 'it answered 500'],
    [{ status: 200, body: {} }, 'it answered 200'],
  ] as const) {
    gateway.pages['/api/v1/gateway/status'] = [page]
    assert.equal(await failure(gateway.env), `${wrong} ${why}`)
  }
  gateway.pages['/api/v1/gateway/status'] = [READY]
  for (const [page, why] of [
    [{ ...NODES, status: 503 }, 'the list of Nodes returned 503'],
    [{ status: 200, body: {} }, 'the list of Nodes returned 200'],
    [{ status: 200, body: { data: [] } }, 'the list of Nodes lacks the gateway'],
    [
      { status: 200, body: { data: [{ roles: ['gateway'], status: 'removing' }] } },
      'the list of Nodes lacks the gateway',
    ],
    [
      { status: 200, body: { data: [{ roles: ['vpn'], status: 'active' }] } },
      'the list of Nodes lacks the gateway',
    ],
  ] as const) {
    gateway.pages['/api/v1/nodes'] = [page]
    assert.equal(await failure(gateway.env), `${wrong} ${why}`)
  }
})

test('the jobs must have run since the upgrade began, by the new version, in the time of the settings', async (context) => {
  const home = mkdtempSync(join(tmpdir(), 'fleet-tick-'))
  context.after(() => rmSync(home, { recursive: true }))
  const env = { ...readEnv({ FLEET_GATEWAY_RELEASE_TICK_CONFIRMATION_SECONDS: '60' }), FLEET_HOME: home }
  const begun = new HastyClock().now()
  const earlier = new Date(begun.getTime() - 1)
  const later = new Date(begun.getTime() + 1)
  const confirm = (): Promise<void> => requireTick('v2', begun, new HastyClock(), env)
  const message = 'the jobs of the gateway did not run'
  await assert.rejects(confirm(), { message })
  noteTick(home, { version: 'v2', at: earlier })
  await assert.rejects(confirm(), { message })
  noteTick(home, { version: 'v1', at: later })
  await assert.rejects(confirm(), { message })
  noteTick(home, { version: 'v2', at: begun })
  await confirm()
  await assert.rejects(requireTick('v2', begun, new HastyClock(), { ...env, APP_VERSION: 'summer' }), {
    message,
  })

  // It waits for the tick to the end of the time, and no longer.
  noteTick(home, { version: 'v1', at: later })
  const clock = new FakeClock()
  const waiting = requireTick('v2', begun, clock, env)
  clock.advance(59_500)
  await nextTurn()
  noteTick(home, { version: 'v2', at: later })
  clock.advance(500)
  await waiting
  noteTick(home, { version: 'v1', at: later })
  const late = new FakeClock()
  const refused = assert.rejects(requireTick('v2', begun, late, env), { message })
  late.advance(60_000)
  await refused
})
