import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ofLines, ofStanzas } from '../../lab/apt-sources.ts'

const STANZAS = `Types: deb-src
URIs: http://sources.test/debian
Suites: bookworm
Components: main

# The machine's own mirror.
Types: deb
URIs: http://mirror.test/debian http://second.test/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /etc/apt/keyrings/mirror.gpg

Types: deb
URIs: http://security.test/debian
Suites: bookworm-security
Components: main
`

test('the mirror is that of the stanza with binary packages of the release', () => {
  assert.deepEqual(ofStanzas(STANZAS, 'bookworm'), {
    mirror: 'http://mirror.test/debian',
    keyring: '/etc/apt/keyrings/mirror.gpg',
    format: 'sources',
  })
  assert.equal(ofStanzas(STANZAS, 'trixie'), undefined)
})

const LINES = `# deb http://old.test/debian bookworm main
deb http://extra.test/apt bookworm contrib
deb [arch=amd64 signed-by=/etc/apt/keyrings/own.gpg] http://mirror.test/debian bookworm main contrib
deb http://security.test/debian bookworm-security main
`

test('the mirror is that of the first line with the main component of the release', () => {
  assert.deepEqual(ofLines(LINES, 'bookworm'), {
    mirror: 'http://mirror.test/debian',
    keyring: '/etc/apt/keyrings/own.gpg',
    format: 'list',
  })
  assert.equal(ofLines(LINES, 'bookworm-security')?.keyring, '/usr/share/keyrings/debian-archive-keyring.gpg')
  assert.equal(ofLines(LINES, 'sid'), undefined)
})
