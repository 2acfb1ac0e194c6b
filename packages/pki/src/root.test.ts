import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { ensureRoot, readRoot, readRootCertificate, type Root, RootUnavailable } from '#/index.ts'

const temporary = (context: TestContext): string => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-pki-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
const make = (directory: string): Promise<Root> =>
  ensureRoot({ directory, clock: new FakeClock(), name: 'Fleet root' })

test('the first start makes an authority for ten years', async (context) => {
  const directory = temporary(context)
  const root = await make(directory)
  const certificate = new X509Certificate(root.certificate)
  assert.equal(certificate.subject, 'CN=Fleet root')
  assert.equal(certificate.ca, true)
  assert.equal(certificate.verify(certificate.publicKey), true)
  // A clock that holds the time of some zone is ahead by up to 14 hours.
  assert.equal(certificate.validFromDate.toISOString(), '2026-01-01T03:04:05.000Z')
  assert.equal(root.notBefore.toISOString(), '2026-01-01T03:04:05.000Z')
  assert.equal(root.notAfter.toISOString(), '2036-01-02T03:04:05.000Z')
  assert.equal(root.sha256, certificate.fingerprint256.replaceAll(':', '').toLowerCase())
})

test('the key is for its owner alone and the certificate for everybody', async (context) => {
  const directory = temporary(context)
  await make(directory)
  assert.equal(statSync(join(directory, 'root.key')).mode & 0o777, 0o600)
  assert.equal(statSync(join(directory, 'root.crt')).mode & 0o777, 0o644)
})

test('a later start keeps the root, since clients know it by its fingerprint', async (context) => {
  const directory = temporary(context)
  const first = await make(directory)
  assert.equal((await make(directory)).sha256, first.sha256)
  assert.equal(readRootCertificate(directory).sha256, first.sha256)
})

test('a start that died after writing the key is finished with the same key', async (context) => {
  const directory = temporary(context)
  await make(directory)
  const key = readFileSync(join(directory, 'root.key'))
  rmSync(join(directory, 'root.crt'))
  const root = await make(directory)
  assert.deepEqual(readFileSync(join(directory, 'root.key')), key)
  assert.equal(new X509Certificate(root.certificate).checkPrivateKey(root.key), true)
})

test('two first starts at once end with one root', async (context) => {
  const directory = temporary(context)
  const roots = await Promise.all([make(directory), make(directory), make(directory)])
  assert.equal(new Set(roots.map((root) => root.sha256)).size, 1)
})

for (const file of ['root.key', 'root.crt']) {
  test(`a broken ${file} is refused and stays as it is`, async (context) => {
    const directory = temporary(context)
    await make(directory)
    chmodSync(join(directory, file), 0o600)
    writeFileSync(join(directory, file), 'not a PEM text')
    assert.throws(() => readRoot(directory), RootUnavailable)
    await assert.rejects(make(directory), RootUnavailable)
    assert.equal(readFileSync(join(directory, file), 'utf8'), 'not a PEM text')
  })
}

test('a certificate without its key is refused instead of replaced', async (context) => {
  const directory = temporary(context)
  await make(directory)
  rmSync(join(directory, 'root.key'))
  await assert.rejects(make(directory), RootUnavailable)
})

test('a key of another root is refused', async (context) => {
  const [directory, other] = [temporary(context), temporary(context)]
  await make(directory)
  await make(other)
  writeFileSync(join(directory, 'root.key'), readFileSync(join(other, 'root.key')))
  assert.throws(() => readRoot(directory), /do not belong together/)
})

test('a missing certificate cannot be handed out', (context) => {
  assert.throws(() => readRootCertificate(temporary(context)), RootUnavailable)
})
