import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { FakeClock } from '@fleet/testing'
import {
  ensureLeaf,
  ensureRoot,
  issueLeaf,
  judgeLeaf,
  readRoot,
  renewRoot,
  RootUnavailable,
} from '#/index.ts'

const DAY = 86_400_000
const NAMES = { names: ['gateway.fleet'], addresses: ['10.6.0.1'] }

async function world(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-pki-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  const clock = new FakeClock()
  const root = await ensureRoot({ directory, clock, name: 'Fleet root' })
  return { directory, clock, root }
}

test('leaves of the root before its renewal and after it verify against both certificates', async (context) => {
  const { directory, clock, root } = await world(context)
  clock.advance(3600 * DAY)
  const key = readFileSync(join(directory, 'root.key'))
  const old = await issueLeaf(root, { ...NAMES, clock })
  const renewed = await renewRoot({ directory, clock })
  const fresh = await issueLeaf(renewed, { ...NAMES, clock })
  assert.notEqual(renewed.sha256, root.sha256)
  assert.equal(renewed.keySha256, root.keySha256)
  assert.equal(renewed.notAfter.getTime(), clock.now().getTime() + 3652 * DAY)
  assert.deepEqual(readFileSync(join(directory, 'root.key')), key)
  assert.deepEqual(readdirSync(directory).toSorted(), ['root.crt', 'root.key'])
  assert.equal(readRoot(directory).sha256, renewed.sha256)
  for (const leaf of [old, fresh])
    for (const by of [root, renewed]) {
      const certificate = new X509Certificate(leaf.certificate)
      assert.equal(certificate.checkIssued(new X509Certificate(by.certificate)), true)
      const expected = { ...NAMES, root: by.certificate, now: clock.now() }
      assert.equal(judgeLeaf(leaf.certificate, expected).verdict, 'good')
    }
  // What is signed from now on is not cut short by the former end.
  assert.equal(fresh.notAfter.getTime(), clock.now().getTime() + 90 * DAY)
  assert.deepEqual(old.notAfter, root.notAfter)
})

test('a root that has ended signs nothing, and says what helps', async (context) => {
  const { directory, clock, root } = await world(context)
  clock.advance(root.notAfter.getTime() - clock.now().getTime() - 1)
  await issueLeaf(root, { ...NAMES, clock })
  clock.advance(1)
  const refusal = {
    name: 'RootUnavailable',
    message:
      'the root certificate of the fleet ended on 2036-01-02T03:04:05.000Z: renew it with fleet-gateway renew-root on the gateway',
  }
  await assert.rejects(issueLeaf(root, { ...NAMES, clock }), refusal)
  await assert.rejects(ensureLeaf({ directory, root, clock, ...NAMES }), refusal)
  assert.deepEqual(readdirSync(directory).toSorted(), ['root.crt', 'root.key'])
  const renewed = await renewRoot({ directory, clock })
  await ensureLeaf({ directory, root: renewed, clock, ...NAMES })
})

test('a certificate that names the key of the root, but was not signed with it, is none', async (context) => {
  const { directory, root } = await world(context)
  const bytes = Buffer.from(new X509Certificate(root.certificate).raw)
  // The last byte belongs to the signature.
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  const pem = `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`
  writeFileSync(join(directory, 'root.crt'), pem)
  assert.throws(() => readRoot(directory), RootUnavailable)
})
