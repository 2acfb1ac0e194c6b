import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { keepOwnSettings, restoredEnv } from './settings.ts'

const SAVED = `# as saved
FLEET_HOME=/var/lib/fleet
FLEET_LISTEN=10.99.0.1:443
FLEET_APP_DEV_DOMAIN=corp
FLEET_DATABASE_URL=postgres://fleet:old@one/fleet
FLEET_LOG=json
`

/** An unpacked backup, and the settings file of the machine on which it is restored. */
function unpacked(context: TestContext, own: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-settings-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const saved = join(folder, 'machine/etc/fleet/gateway.env')
  mkdirSync(dirname(saved), { recursive: true })
  writeFileSync(saved, SAVED)
  const path = join(folder, 'own.env')
  if (own !== undefined) writeFileSync(path, own)
  return { folder, path, text: () => readFileSync(saved, 'utf8') }
}

test('what is set on the machine of a restoration holds over the backup, but for who the gateway is', (context) => {
  const own = `FLEET_DATABASE_URL="postgres://fleet:a#b@two/fleet"
APP_KEY=base64:other
FLEET_LISTEN=10.44.0.1:443
FLEET_APP_DEV_DOMAIN=fleet
FLEET_WEBSOCKET_PORT=9000
`
  const { folder, path, text } = unpacked(context, own)
  for (const _again of [1, 2]) {
    keepOwnSettings(folder, path)
    assert.equal(
      text(),
      `${SAVED.replace('postgres://fleet:old@one/fleet', '"postgres://fleet:a#b@two/fleet"')}FLEET_WEBSOCKET_PORT=9000\n`,
    )
  }
  assert.equal(restoredEnv(folder).FLEET_DATABASE_URL, 'postgres://fleet:a#b@two/fleet')
})

test('a blank machine gets the settings of the backup as they are', (context) => {
  const { folder, path, text } = unpacked(context, undefined)
  keepOwnSettings(folder, path)
  assert.equal(text(), SAVED)
})
