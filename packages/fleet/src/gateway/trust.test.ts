import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureRoot } from '@fleet/pki'
import { fakeCall, FakeClock } from '@fleet/testing'
import { makeTrust } from '#/gateway/trust.ts'

test('the root is answered with its digest, and is unavailable as soon as its files are [GW-053]', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-trust-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  const root = await ensureRoot({ directory, clock: new FakeClock(), name: 'Fleet root' })
  const trust = makeTrust({ caDirectory: directory })
  const ask = () => trust({ call: fakeCall(), input: {} })
  const { data } = await ask()
  assert.equal(data.root_ca, root.certificate)
  assert.match(data.sha256, /^[0-9a-f]{64}$/)
  rmSync(directory, { recursive: true })
  mkdirSync(directory)
  await assert.rejects(ask(), { code: 'ca.unavailable' })
})
