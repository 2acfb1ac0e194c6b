import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { requireAddresses, requireGit } from './preflight.ts'
import { StartRefused } from './refusal.ts'

const messageOf = (work: () => void): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof StartRefused) return error.message
    throw error
  }
  return ''
}

test('without git, the error names the package to install', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-path-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  assert.match(
    messageOf(() => requireGit({ PATH: folder })),
    /no `git` in the PATH[^]*sudo apt-get install git/,
  )
})

test('a git without its HTTP backend is distinguished from none', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-path-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho ${folder}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  assert.match(
    messageOf(() => requireGit({ PATH: folder })),
    /has no `git http-backend`[^]*apk add git-daemon/,
  )
})

test('addresses that the system does not answer on come with the commands that add them', async () => {
  // Documentation addresses (RFC 5737) belong to no machine, as 127.44.0.x belongs to none on macOS.
  await assert.rejects(requireAddresses(['127.0.0.1', '192.0.2.11', '192.0.2.12']), (error) => {
    assert.ok(error instanceof StartRefused)
    assert.deepEqual(error.message.split('\n').slice(2), [
      '  sudo ifconfig lo0 alias 192.0.2.11',
      '  sudo ifconfig lo0 alias 192.0.2.12',
    ])
    return true
  })
})

test('addresses that the system answers on pass', async () => {
  await requireAddresses(['127.0.0.1'])
})
