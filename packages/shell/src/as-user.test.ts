import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { asUser } from './as-user.ts'
import { type Command, inputOf, run, withStdin } from './command.ts'
import { script } from './script.ts'

test('a command goes to sudo whole, with its quotes and its standard input', (t) => {
  const bin = mkdtempSync(join(tmpdir(), 'fleet-sudo-'))
  t.after(() => rmSync(bin, { recursive: true, force: true }))
  writeFileSync(join(bin, 'sudo'), '#!/bin/sh\nprintf "%s " "$1" "$2" "$3" "$4"\nshift 4\nexec "$@"\n', {
    mode: 0o755,
  })
  const ran = (command: Command): string =>
    spawnSync('sh', ['-c', command.line], {
      input: inputOf(command).join(''),
      env: { PATH: `${bin}:/usr/bin:/bin` },
      encoding: 'utf8',
    }).stdout
  const fed = withStdin(run('sed', "s/^/it's $HOME /"), new Secret('secret'))
  assert.equal(ran(asUser('app shop', fed)), "-n -u app shop -- it's $HOME secret")
  const whole = script('echo "$1"', "it's")
  assert.equal(ran(asUser('app', whole)), "-n -u app -- it's\n")
  const both = withStdin(script('echo "$1"; cat', "it's"), new Secret('secret'))
  assert.equal(ran(asUser('app', both)), "-n -u app -- it's\nsecret")
  assert.equal(ran(withStdin(asUser('app', script('cat')), new Secret('secret'))), '-n -u app -- secret')
})

test('sudo, which writes its arguments into the journal, sees the title of a script and nothing else of it', () => {
  const command = asUser('root', script('# look\n: canary', 'argument'))
  assert.equal(command.line, 'sudo -n -u root -- sh -s look')
  assert.doesNotMatch(withStdin(command, new Secret('secret')).line, /canary|argument|secret/)
})

test('logs show the user and the short form of the command', () => {
  assert.equal(asUser('app', script('# look\ntrue', 'a b')).shown, "sudo -n -u app -- script look 'a b'")
})
