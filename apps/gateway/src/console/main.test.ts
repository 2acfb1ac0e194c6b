import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { test } from 'node:test'
import { AppKeyFileRefused, AppKeyInvalid, MigrationFailed, WrongKey } from '@fleet/store'
import { HomeInUse } from '#/open-home-store.ts'
import { Unavailable } from '#/reason.ts'
import type { InstalledRelease } from '#/release/installed-release.ts'
import { failure, runConsole } from './main.ts'
import { Misuse, misuseOf, requireWords } from './misuse.ts'

const RELEASE: InstalledRelease = {
  folder: '/nowhere',
  manifest: {
    product: 'fleet',
    format: 1,
    version: '1.0.0',
    commit: null,
    architecture: 'x86_64',
    files: [],
  },
}

async function printed(...words: readonly string[]) {
  const text = { out: '', err: '' }
  const status = await runConsole(words, RELEASE, {
    stdout: { write: (chunk) => (text.out += chunk) },
    stderr: { write: (chunk) => (text.err += chunk) },
  })
  return { status, ...text }
}

test('the console shows its commands, and an unknown one is named', async () => {
  const help = await printed('--help')
  assert.equal(help.status, 0)
  assert.match(help.out, /^usage: fleet-gateway COMMAND\n\n  status /)
  assert.match(help.out, /^  backup FILE +saves/m)
  assert.doesNotMatch(help.out, /upgrade-run/)
  const unknown = await printed('constructor')
  assert.deepEqual([unknown.status, unknown.out], [2, ''])
  assert.match(unknown.err, /^fleet-gateway: constructor is not a command\.\nusage: fleet-gateway COMMAND/)
})

test('each command shows its usage for --help, without root and without doing anything', async () => {
  const names = [
    'status',
    'ssh-key',
    'retarget',
    'pin-host-key',
    'repair-dns',
    'retry-work',
    'renew-root',
    'backup',
    'upgrade',
  ]
  for (const name of names) {
    const { status, out, err } = await printed(name, '--help')
    assert.deepEqual([status, err], [0, ''], name)
    assert.ok(out.startsWith(`usage: fleet-gateway ${name}`), out)
  }
})

test('words that a command cannot read are answered with its usage, never with a stack', async () => {
  const usage = 'usage: fleet-gateway backup FILE [--passphrase-file FILE]\n'
  assert.deepEqual(await printed('backup'), { status: 2, out: '', err: usage })
  assert.deepEqual(await printed('backup', '--nosuch'), {
    status: 2,
    out: '',
    err: `fleet-gateway: Unknown option '--nosuch'.\n${usage}`,
  })
  assert.deepEqual(await printed('backup', 'a', 'b'), {
    status: 2,
    out: '',
    err: `fleet-gateway: b is one argument too many.\n${usage}`,
  })
  for (const [name, ...words] of [
    ['status', 'x'],
    ['ssh-key', 'x'],
    ['retry-work', 'x'],
    ['repair-dns'],
    ['repair-dns', 'web', 'x'],
    ['retarget', 'web'],
    ['pin-host-key', 'web'],
    ['pin-host-key', 'web', 'SHA256:x', 'y'],
    ['retarget', 'web', 'host', '--port'],
    ['upgrade', 'a', 'b'],
  ] as const) {
    const { status, err } = await printed(name, ...words)
    assert.equal(status, 2, name)
    assert.match(err, new RegExp(`^(fleet-gateway: .*\\n)?usage: fleet-gateway ${name}`))
  }
})

test('a misuse is recognized whoever found it', () => {
  assert.throws(() => requireWords(['a'], 0), Misuse)
  assert.doesNotThrow(() => requireWords(['a'], 0, 1))
  assert.equal(misuseOf(new Error('other')), undefined)
  try {
    parseArgs({ args: ['a'] })
    assert.fail()
  } catch (error) {
    assert.match(misuseOf(error)?.message ?? '', /^Unexpected argument 'a'\.$/)
  }
})

test('a machine without its database or its keys is answered with a sentence, never with a stack', () => {
  assert.equal(
    failure(new Unavailable('the database at FLEET_DATABASE_URL: connect ECONNREFUSED 127.0.0.1:5432')),
    'fleet-gateway: the database at FLEET_DATABASE_URL: connect ECONNREFUSED 127.0.0.1:5432.\n  next  Check FLEET_DATABASE_URL in /etc/fleet/gateway.env and its server, then run the same command again.',
  )
  for (const Kind of [AppKeyFileRefused, AppKeyInvalid, MigrationFailed, HomeInUse])
    assert.equal(failure(new Kind('what helps')), 'fleet-gateway: what helps')
  assert.match(failure(new WrongKey()), /^fleet-gateway: the application key [^\n]+$/)
  assert.match(failure(new TypeError('a defect')), /\n {4}at /)
})
