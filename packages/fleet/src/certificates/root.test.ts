import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { rootCertificateOf, signingRootOf } from '#/certificates/root.ts'

test('a root that is missing or damaged is reported as unavailable, for reading and for signing', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-root-'))
  context.after(() => rmSync(folder, { recursive: true }))
  for (const read of [rootCertificateOf, signingRootOf])
    assert.throws(() => read(folder), { code: 'ca.unavailable' })
  writeFileSync(join(folder, 'root.crt'), 'no certificate')
  for (const read of [rootCertificateOf, signingRootOf])
    assert.throws(() => read(folder), { code: 'ca.unavailable' })
})
