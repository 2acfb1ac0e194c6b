import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@fleet/kernel'
import { ensureRoot, issueLeaf } from '@fleet/pki'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

test(
  'OpenSSL accepts a leaf by its strict rules, for its names only',
  { skip: !hasOpenssl },
  async (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-openssl-'))
    context.after(() => rmSync(directory, { recursive: true, force: true }))
    const root = await ensureRoot({ directory, clock: systemClock, name: 'Fleet root' })
    const names = { names: ['gateway.fleet'], addresses: ['10.6.0.1', 'fd00::1'] }
    const leaf = join(directory, 'leaf.crt')
    writeFileSync(leaf, (await issueLeaf(root, { ...names, clock: systemClock })).certificate)
    const verify = (...words: readonly string[]): boolean => {
      const strict = [
        'verify',
        '-x509_strict',
        '-purpose',
        'sslserver',
        '-CAfile',
        join(directory, 'root.crt'),
      ]
      return spawnSync('openssl', [...strict, ...words, leaf]).status === 0
    }
    assert.equal(verify('-verify_hostname', 'gateway.fleet'), true)
    assert.equal(verify('-verify_ip', '10.6.0.1'), true)
    assert.equal(verify('-verify_ip', 'fd00::1'), true)
    assert.equal(verify('-verify_hostname', 'other.fleet'), false)
    assert.equal(verify('-verify_ip', '10.6.0.2'), false)
  },
)
