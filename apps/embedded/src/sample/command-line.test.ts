import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'

test('commands to try go to this fleet, also where a gateway is stored and active', (context) => {
  const HOME = mkdtempSync(join(tmpdir(), 'fleet-command-line-'))
  context.after(() => rmSync(HOME, { recursive: true, force: true }))
  const elsewhere = { home: '/srv/fleet', isDefaultHome: false }
  const here = { home: '/x/.fleet', isDefaultHome: true }
  assert.deepEqual(
    [commandLine(here, { HOME }), commandLine(elsewhere, { HOME })],
    ['./fleet', 'FLEET_HOME=/srv/fleet ./fleet'],
  )
  const store = (folder: string, text: string): void => {
    mkdirSync(join(folder, 'fleet'), { recursive: true })
    writeFileSync(join(folder, 'fleet', 'gateways.json'), text)
  }
  store(join(HOME, '.config'), JSON.stringify({ gateways: [] }))
  assert.equal(commandLine(here, { HOME }), './fleet')
  store(join(HOME, '.config'), JSON.stringify({ active: 'live', gateways: [] }))
  assert.equal(commandLine(here, { HOME, XDG_CONFIG_HOME: '' }), 'FLEET_GATEWAY=embedded ./fleet')
  assert.equal(commandLine(elsewhere, { HOME }), 'FLEET_GATEWAY=embedded FLEET_HOME=/srv/fleet ./fleet')
  assert.equal(commandLine(here, { HOME, XDG_CONFIG_HOME: '/nowhere' }), './fleet')
  store(join(HOME, '.config'), '{')
  assert.equal(commandLine(here, { HOME }), './fleet')
})
