import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { allowRootLogin, withdrawRootLogin } from '#/install/root-login.ts'
import { secureSettings } from './as-gateway.ts'
import { takeConsole } from './one-at-a-time.ts'
import { readSettingsFile, withSettings, writeSettingsFile } from './settings-file.ts'

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'fleet-console-'))
  context.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('settings are changed in their place, and what the operator wrote stays', (context) => {
  const text = '# mine\nFLEET_LISTEN=127.0.0.1:8443\nFLEET_LOG=json\n'
  assert.equal(
    withSettings(text, { FLEET_LISTEN: '10.44.0.1:443', FLEET_HOME: '/var/lib/fleet' }),
    '# mine\nFLEET_LISTEN=10.44.0.1:443\nFLEET_LOG=json\nFLEET_HOME=/var/lib/fleet\n',
  )
  const path = join(folder(context), 'etc/gateway.env')
  writeSettingsFile({ FLEET_LISTEN: '10.44.0.1:443' }, path)
  writeSettingsFile({ FLEET_LISTEN: '10.44.0.1:443' }, path)
  assert.deepEqual(readSettingsFile(path), { FLEET_LISTEN: '10.44.0.1:443' })
  assert.throws(
    () => writeSettingsFile({ FLEET_LISTEN: 'a\nFLEET_HOME=/tmp' }, path),
    /FLEET_LISTEN cannot contain/,
  )
})

test('settings are read by root and the account of the gateway alone, also those that everybody could read', (context) => {
  const path = join(folder(context), 'gateway.env')
  const group = process.getgid?.() ?? assert.fail('there are groups here')
  const modeOf = (): number => statSync(path).mode & 0o7777
  secureSettings(group, path)
  writeFileSync(path, 'FLEET_DATABASE_URL=postgres://fleet:canary@db/fleet\n')
  chmodSync(path, 0o644)
  writeSettingsFile({ FLEET_LISTEN: '10.44.0.1:443' }, path)
  assert.equal(modeOf(), 0o600)
  for (const mode of [0o600, 0o644, 0o664]) {
    chmodSync(path, mode)
    secureSettings(group, path)
    assert.deepEqual([modeOf(), statSync(path).gid], [0o640, group])
  }
})

test('one console command runs at a time, and one that died holds nothing', (context) => {
  const path = join(folder(context), 'lock')
  {
    using _held = takeConsole(path)
    assert.throws(() => takeConsole(path), /Another fleet-gateway command is running/)
  }
  assert.equal(existsSync(path), false)
  // Neither a process that is gone nor one that has its id now.
  for (const holder of ['4194305 1', `${process.pid} 1`]) {
    writeFileSync(path, holder)
    using _taken = takeConsole(path)
    assert.match(readFileSync(path, 'utf8'), new RegExp(`^${process.pid} \\d+ `))
  }
})

test('the key of the installation may log in while it lasts; keys of people stay as they are', (context) => {
  const path = join(folder(context), '.ssh/authorized_keys')
  allowRootLogin('ssh-ed25519 AAAA fleet', path)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  writeFileSync(path, `${readFileSync(path, 'utf8')}ssh-ed25519 BBBB somebody\n`)
  allowRootLogin('ssh-ed25519 CCCC fleet', path)
  assert.equal(
    readFileSync(path, 'utf8'),
    'ssh-ed25519 BBBB somebody\nssh-ed25519 CCCC fleet-gateway-installation\n',
  )
  withdrawRootLogin(path)
  withdrawRootLogin(path)
  assert.equal(readFileSync(path, 'utf8'), 'ssh-ed25519 BBBB somebody\n')
})
