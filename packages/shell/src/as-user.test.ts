import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { asUser } from './as-user.ts'
import { run, withStdin } from './command.ts'
import { and, pipe } from './join.ts'
import { script } from './script.ts'

test('a command goes to sudo whole, with its quotes, its joints and its standard input', (t) => {
  const bin = mkdtempSync(join(tmpdir(), 'fleet-sudo-'))
  t.after(() => rmSync(bin, { recursive: true, force: true }))
  writeFileSync(join(bin, 'sudo'), '#!/bin/sh\nprintf "%s " "$1" "$2" "$3" "$4"\nshift 4\nexec "$@"\n', {
    mode: 0o755,
  })
  const inner = and(
    run('echo', "it's $HOME"),
    pipe(withStdin(run('cat'), new Secret('secret')), run('tr', 's', 'S')),
  )
  const command = asUser('app shop', inner)
  const ran = spawnSync('sh', ['-c', command.line], {
    input: command.stdin?.reveal(),
    env: { PATH: `${bin}:/usr/bin:/bin` },
    encoding: 'utf8',
  })
  assert.equal(ran.stdout, "-n -u app shop -- it's $HOME\nSecret")
})

test('logs show the user and the short form of the command', () => {
  assert.equal(asUser('app', script('# look\ntrue', 'a b')).shown, "sudo -n -u app -- script look 'a b'")
})
