import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { connect } from 'node:tls'
import { startGateway } from '@fleet/gateway'
import { systemClock } from '@fleet/kernel'
import { addGatewayNode, FakeClock, makeHomeIdentity, openTestStore } from '@fleet/testing'

const HOUR = 3_600_000
const TUNNEL = '127.44.9.21'
const MOVED = '127.44.9.22'

async function startOn(context: TestContext, addresses: readonly string[]) {
  const home = mkdtempSync(join(tmpdir(), 'fleet-served-'))
  context.after(() => rmSync(home, { recursive: true, force: true }))
  const [clock, store] = [new FakeClock(), await openTestStore()]
  await makeHomeIdentity(home, clock)
  const node = await addGatewayNode(store, { wireguard_ip: TUNNEL })
  const listen = addresses.map((address) => ({ address, port: 0 }))
  const names = ['gateway.fleet']
  const gateway = await startGateway(
    { home, listen, names, name: 'g', version: 't', log: 'silent' },
    { store, clock },
  )
  context.after(() => gateway.stop())
  return { gateway, store, clock, node, home }
}

/** The certificate that is served at an address; a client of the fleet's root alone would verify it but for the time. */
async function servedAt(address: string, url = ''): Promise<X509Certificate> {
  const socket = connect({ host: address, port: Number(new URL(url).port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return new X509Certificate(raw)
}

/** Waits for what a job does in the background. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 30_000; performance.now() < end; await systemClock.sleep(5)) {
    const found = await ask()
    if (found !== undefined) return found
  }
  return assert.fail('it never came')
}

test('a gateway that listens everywhere has a certificate for its name and its tunnel address, and for a new one within the hour [GW-002]', async (context) => {
  const { gateway, store, clock, node, home } = await startOn(context, ['0.0.0.0'])
  const certificate = await servedAt(TUNNEL, gateway.urls[0])
  assert.equal(certificate.subjectAltName, `DNS:gateway.fleet, IP Address:127.0.0.1, IP Address:${TUNNEL}`)
  assert.equal(certificate.checkIP(TUNNEL), TUNNEL)
  const root = new X509Certificate(readFileSync(join(home, 'ca', 'root.crt')))
  assert.equal(certificate.verify(root.publicKey), true)
  await store.db.updateTable('nodes').set({ wireguard_ip: MOVED }).where('id', '=', node.id).execute()
  clock.advance(HOUR)
  const renewed = await until(async () => {
    const now = await servedAt(MOVED, gateway.urls[0])
    return now.checkIP(MOVED) === undefined ? undefined : now
  })
  assert.equal(renewed.subjectAltName, `DNS:gateway.fleet, IP Address:127.0.0.1, IP Address:${MOVED}`)
})

test('a certificate is for each address that the gateway listens on and for that of its tunnel, once [GW-002]', async (context) => {
  const { gateway } = await startOn(context, ['127.0.0.1', TUNNEL, '::'])
  assert.equal(
    (await servedAt('127.0.0.1', gateway.urls[0])).subjectAltName,
    `DNS:gateway.fleet, IP Address:127.0.0.1, IP Address:${TUNNEL}, IP Address:0:0:0:0:0:0:0:1`,
  )
})

test('a service that got a certificate of the fleet gets each that follows, until the gateway stops', async (context) => {
  const { gateway, clock, home } = await startOn(context, ['127.0.0.1'])
  const given: string[] = []
  const { certificate: first } = await gateway.leaf(['localhost'], [], join(home, 'own'), ({ certificate }) =>
    given.push(certificate),
  )
  clock.advance(HOUR)
  await until(async () => given[0])
  assert.deepEqual(given, [first])
  clock.advance(76 * 24 * HOUR)
  const renewed = new X509Certificate(await until(async () => given[1]))
  assert.notEqual(renewed.fingerprint256, new X509Certificate(first).fingerprint256)
  assert.ok(renewed.validToDate > new X509Certificate(first).validToDate)
  await gateway.stop()
  clock.advance(HOUR)
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(given.length, 2)
})
