import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readConfiguration } from './files.ts'

const SOUND = {
  secret: 'a'.repeat(64),
  'ca.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  'config.toml': 'gateway_url = "https://gateway.fleet"\ngateway_address = "10.44.0.1"\n',
}

function homeWith(
  context: TestContext,
  changed: Partial<Record<keyof typeof SOUND, string | undefined>>,
): string {
  const home = mkdtempSync(join(tmpdir(), 'fleet-agent-'))
  context.after(() => rmSync(home, { recursive: true }))
  for (const [name, content] of Object.entries({ ...SOUND, ...changed }))
    if (content !== undefined) writeFileSync(join(home, name), content)
  return home
}

test('an agent knows its gateway, the one authority and its secret [AGT-018]', (context) => {
  const { gatewayUrl, gatewayAddress, rootCertificate, secret } = readConfiguration(homeWith(context, {}))
  assert.deepEqual(
    [gatewayUrl.href, gatewayAddress, rootCertificate, secret.reveal()],
    ['https://gateway.fleet/', '10.44.0.1', SOUND['ca.pem'], SOUND.secret],
  )
})

const unusable = {
  'no secret': { secret: undefined },
  'an empty secret': { secret: '' },
  'a secret in capitals': { secret: 'A'.repeat(64) },
  'a short secret': { secret: 'a'.repeat(63) },
  'no certificate': { 'ca.pem': undefined },
  'a certificate that is none': { 'ca.pem': 'AAAA' },
  'no configuration': { 'config.toml': undefined },
  'a configuration that is no TOML': { 'config.toml': '{"gateway_url": 1}' },
  'a configuration without an address': { 'config.toml': 'gateway_url = "https://gateway.fleet"\n' },
  'a gateway without TLS': { 'config.toml': SOUND['config.toml'].replace('https', 'http') },
} as const

for (const [what, changed] of Object.entries(unusable)) {
  test(`with ${what} an agent cannot run, and what it says holds nothing of the file [AGT-017]`, (context) => {
    const home = homeWith(context, changed)
    assert.throws(
      () => readConfiguration(home),
      (error: Error) => {
        assert.equal(error.name, 'CannotRun')
        assert.doesNotMatch(error.message, /AAAA|aaaa|http:|10\.44/)
        return true
      },
    )
  })
}
