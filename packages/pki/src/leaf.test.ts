import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { connect, createServer } from 'node:tls'
import { type Clock, systemClock } from '@fleet/kernel'
import { FakeClock } from '@fleet/testing'
import { ensureLeaf, ensureRoot, issueLeaf, type Leaf, type LeafNames, type Root } from '#/index.ts'

const DAY = 86_400_000
const GATEWAY: LeafNames = { names: ['gateway.fleet'], addresses: ['10.6.0.1', 'fd00::1'] }

const temporary = (context: TestContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-pki-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const rootIn = (directory: string, clock: Clock): Promise<Root> =>
  ensureRoot({ directory, clock, name: 'Fleet root' })

/** Connects to a server with the leaf and answers `trusted` or the client's reason not to. */
const handshake = async (leaf: Leaf, client: { ca?: string; servername: string }): Promise<string> => {
  const server = createServer({ cert: leaf.certificate, key: leaf.key.reveal() })
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: a TCP server's address is never a pipe's text.
  const socket = connect({ host: '127.0.0.1', port, ...client, minVersion: 'TLSv1.2' })
  try {
    await once(socket, 'secureConnect')
    return 'trusted'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  } finally {
    socket.destroy()
    server.close()
  }
}

test('a client that trusts only the root reaches the gateway by name', async (context) => {
  const root = await rootIn(temporary(context), systemClock)
  const leaf = await issueLeaf(root, { ...GATEWAY, clock: systemClock })
  assert.equal(await handshake(leaf, { ca: root.certificate, servername: 'gateway.fleet' }), 'trusted')
})

test('the certificate covers the tunnel addresses too', async (context) => {
  const root = await rootIn(temporary(context), systemClock)
  const leaf = await issueLeaf(root, {
    names: ['gateway.fleet'],
    addresses: ['127.0.0.1'],
    clock: systemClock,
  })
  // An empty server name makes the client check the address it connected to.
  assert.equal(await handshake(leaf, { ca: root.certificate, servername: '' }), 'trusted')
})

test('another name or address is refused by the client', async (context) => {
  const root = await rootIn(temporary(context), systemClock)
  const leaf = await issueLeaf(root, { ...GATEWAY, clock: systemClock })
  const refused = 'ERR_TLS_CERT_ALTNAME_INVALID'
  assert.equal(await handshake(leaf, { ca: root.certificate, servername: 'other.fleet' }), refused)
  assert.equal(await handshake(leaf, { ca: root.certificate, servername: '' }), refused)
})

test('a client without the root, or with that of another fleet, refuses', async (context) => {
  const root = await rootIn(temporary(context), systemClock)
  const other = await rootIn(temporary(context), systemClock)
  const leaf = await issueLeaf(root, { ...GATEWAY, clock: systemClock })
  assert.equal(await handshake(leaf, { servername: 'gateway.fleet' }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  assert.notEqual(await handshake(leaf, { ca: other.certificate, servername: 'gateway.fleet' }), 'trusted')
})

test('a leaf is what browsers accept: a server only, with alternative names, for at most 398 days', async (context) => {
  const clock = new FakeClock()
  const root = await rootIn(temporary(context), clock)
  const leaf = new X509Certificate((await issueLeaf(root, { ...GATEWAY, clock, days: 397 })).certificate)
  assert.equal(leaf.ca, false)
  assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.1'])
  assert.equal(leaf.subjectAltName, 'DNS:gateway.fleet, IP Address:10.6.0.1, IP Address:FD00:0:0:0:0:0:0:1')
  assert.ok(leaf.validToDate.getTime() - leaf.validFromDate.getTime() < 398 * DAY)
  await assert.rejects(issueLeaf(root, { ...GATEWAY, clock, days: 398 }), RangeError)
  await assert.rejects(issueLeaf(root, { names: [], addresses: [], clock }), RangeError)
})

test('a leaf starts an hour back for slow clocks and never outlives its root', async (context) => {
  const clock = new FakeClock()
  const root = await rootIn(temporary(context), clock)
  const first = new X509Certificate((await issueLeaf(root, { ...GATEWAY, clock })).certificate)
  assert.equal(first.validFromDate.toISOString(), '2026-01-02T02:04:05.000Z')
  assert.equal(first.validToDate.toISOString(), '2026-04-02T03:04:05.000Z')
  clock.advance(3600 * DAY)
  assert.deepEqual((await issueLeaf(root, { ...GATEWAY, clock })).notAfter, root.notAfter)
})

test('a stored leaf is used until a sixth of its lifetime is left', async (context) => {
  const clock = new FakeClock()
  const directory = temporary(context)
  const root = await rootIn(directory, clock)
  const first = await ensureLeaf({ directory, root, clock, ...GATEWAY })
  clock.advance(first.renewAt.getTime() - clock.now().getTime() - 1)
  assert.equal((await ensureLeaf({ directory, root, clock, ...GATEWAY })).sha256, first.sha256)
  clock.advance(1)
  const second = await ensureLeaf({ directory, root, clock, ...GATEWAY })
  assert.notEqual(second.sha256, first.sha256)
  // Ninety days and the hour before them, of which a sixth is left.
  assert.equal(first.notAfter.getTime() - first.renewAt.getTime(), (90 * DAY + 3_600_000) / 6)
})

test('other names, fewer names, another root or a broken file make a new leaf', async (context) => {
  const clock = new FakeClock()
  const directory = temporary(context)
  const root = await rootIn(directory, clock)
  const stranger = await rootIn(temporary(context), clock)
  const seen = new Set<string>()
  const ensure = async (change: Partial<LeafNames>, by = root): Promise<void> => {
    seen.add((await ensureLeaf({ directory, root: by, clock, ...GATEWAY, ...change })).sha256)
  }
  await ensure({})
  await ensure({ names: ['gateway.example'] })
  await ensure({ names: ['gateway.example'], addresses: ['10.6.0.1'] })
  await ensure({ names: ['gateway.example'], addresses: ['10.6.0.2'] })
  await ensure({}, stranger)
  writeFileSync(join(directory, 'gateway.pem'), 'cut off')
  await ensure({}, stranger)
  assert.equal(seen.size, 6)
})

test('a stored leaf from a clock that was ahead is replaced as soon as the clock is right again', async (context) => {
  const directory = temporary(context)
  const clock = new FakeClock()
  const root = await rootIn(directory, clock)
  const ahead = new FakeClock(new Date(clock.now().getTime() + 30 * DAY).toISOString())
  const early = await ensureLeaf({ directory, root, clock: ahead, ...GATEWAY })
  const leaf = await ensureLeaf({ directory, root, clock, ...GATEWAY })
  assert.notEqual(leaf.sha256, early.sha256)
  assert.equal(new X509Certificate(leaf.certificate).validFromDate <= clock.now(), true)
  assert.equal((await ensureLeaf({ directory, root, clock, ...GATEWAY })).sha256, leaf.sha256)
})

test('the stored file holds key and certificate for its owner alone, and nothing else stays behind', async (context) => {
  const clock = new FakeClock()
  const directory = temporary(context)
  const root = await rootIn(directory, clock)
  const leaf = await ensureLeaf({ directory, root, clock, ...GATEWAY, name: 'websocket' })
  const path = join(directory, 'websocket.pem')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(readFileSync(path, 'utf8'), leaf.key.reveal() + leaf.certificate)
  assert.deepEqual(readdirSync(directory).toSorted(), ['root.crt', 'root.key', 'websocket.pem'])
})

test('a leaf prints without its key', async (context) => {
  const clock = new FakeClock()
  const root = await rootIn(temporary(context), clock)
  const leaf = await issueLeaf(root, { ...GATEWAY, clock })
  assert.equal(JSON.stringify({ root, leaf }).includes('PRIVATE KEY'), false)
})
