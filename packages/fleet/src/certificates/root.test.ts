import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureRoot } from '@fleet/pki'
import { FakeClock } from '@fleet/testing'
import { rootCertificateOf, signingRootOf } from '#/certificates/root.ts'

test('a root that is missing or damaged is reported as unavailable, for reading and for signing', (context) => {
  const clock = new FakeClock()
  const folder = mkdtempSync(join(tmpdir(), 'fleet-root-'))
  context.after(() => rmSync(folder, { recursive: true }))
  for (const read of [rootCertificateOf, signingRootOf])
    assert.throws(() => read(folder, clock.now()), { code: 'ca.unavailable' })
  writeFileSync(join(folder, 'root.crt'), 'no certificate')
  for (const read of [rootCertificateOf, signingRootOf])
    assert.throws(() => read(folder, clock.now()), { code: 'ca.unavailable' })
})

test('a root that has ended can still be read, but signs nothing', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-root-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const root = await ensureRoot({ directory: folder, clock: new FakeClock(), name: 'Fleet root' })
  assert.equal(signingRootOf(folder, new Date(root.notAfter.getTime() - 1)).sha256, root.sha256)
  assert.throws(() => signingRootOf(folder, root.notAfter), { code: 'ca.unavailable' })
  assert.equal(rootCertificateOf(folder), root.certificate)
})
