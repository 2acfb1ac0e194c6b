import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { allowRootLogin, withdrawRootLogin } from '#/install/root-login.ts'
import { secureSettings } from './as-gateway.ts'
import { takeConsole } from './one-at-a-time.ts'
import { Refusal } from './refusal.ts'
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
  const place = join(folder(context), 'holders')
  {
    using _held = takeConsole(place)
    assert.throws(() => takeConsole(place), /Another fleet-gateway command is running \(process \d+\)/)
    assert.equal(readdirSync(place).length, 1)
  }
  assert.deepEqual(readdirSync(place), [])
  // Neither a process that is gone nor one that has its id now.
  for (const holder of ['4194305 1', `${process.pid} 1`]) {
    writeFileSync(join(place, `${holder} 00000000-0000-4000-8000-000000000001`), '')
    using _taken = takeConsole(place)
    assert.deepEqual(
      readdirSync(place).map((name) => name.replace(/\d+ \S+$/, '')),
      [`${process.pid} `],
    )
  }
})

test('of two commands that find what a dead one left at the same time, one at most is let in', (context) => {
  const place = join(folder(context), 'holders')
  mkdirSync(place)
  writeFileSync(join(place, '4194305 1 00000000-0000-4000-8000-000000000001'), '')
  using taken = new DisposableStack()
  let count = 0
  const take = (isAlive?: (holder: string) => boolean): void => {
    try {
      taken.use(takeConsole(place, isAlive))
      count += 1
    } catch (error) {
      assert.ok(error instanceof Refusal)
    }
  }
  // The second comes while the first looks at the dead one.
  take(() => {
    take()
    return false
  })
  assert.equal(count, 1)
})

test('the key of the installation may log in while it lasts; keys of people stay as they are', (context) => {
  const path = join(folder(context), '.ssh/authorized_keys')
  allowRootLogin('ssh-ed25519 AAAA fleet', new Date('2026-01-02T03:04:59Z'), path)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  writeFileSync(path, `${readFileSync(path, 'utf8')}ssh-ed25519 BBBB somebody\n`)
  allowRootLogin('ssh-ed25519 CCCC fleet', new Date('2026-01-02T13:04:59Z'), path)
  assert.equal(
    readFileSync(path, 'utf8'),
    'ssh-ed25519 BBBB somebody\nexpiry-time="202601021304Z" ssh-ed25519 CCCC fleet-gateway-installation\n',
  )
  withdrawRootLogin(path)
  withdrawRootLogin(path)
  assert.equal(readFileSync(path, 'utf8'), 'ssh-ed25519 BBBB somebody\n')
})
