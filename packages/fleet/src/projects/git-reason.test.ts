import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskText } from '@fleet/kernel'
import { gitReason, unreadableMessage } from '#/projects/git-reason.ts'

const complaints = [
  [
    "fatal: unable to access 'https://git.test/x/': SSL certificate problem: unable to get local issuer certificate",
    'certificate',
  ],
  [
    "fatal: unable to access 'https://git.test/x/': server certificate verification failed. CAfile: none CRLfile: none",
    'certificate',
  ],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'host_key'],
  ["fatal: unable to access 'https://nope.test/x/': Could not resolve host: nope.test", 'name'],
  ['ssh: Could not resolve hostname nope.test: Name or service not known', 'name'],
  [
    "fatal: unable to access 'https://git.test/': Failed to connect to git.test port 443 after 20001 ms: Connection timed out",
    'timeout',
  ],
  ["fatal: could not read Username for 'https://git.test': terminal prompts disabled", 'authentication'],
  [
    'git@git.test: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    'authentication',
  ],
  ["remote: Not Found\nfatal: repository 'https://git.test/x/' not found", 'not_found'],
  ["fatal: '/srv/x' does not appear to be a git repository", 'not_found'],
  [
    "fatal: unable to access 'https://git.test/': Failed to connect to git.test port 443 after 0 ms: Couldn't connect to server",
    'refused',
  ],
  ['ssh: connect to host git.test port 22: Connection refused', 'refused'],
  ["fatal: unable to access 'https://git.test/x/': The requested URL returned error: 503", 'server'],
  ["fatal: unable to access 'https://git.test/x/': The requested URL returned error: 429", 'server'],
  [
    'error: RPC failed; curl 92 HTTP/2 stream 5 was not closed cleanly: CANCEL (err 8)\nerror: 4096 bytes of body are still expected',
    'server',
  ],
  [
    'fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
    'server',
  ],
  ['error: RPC failed; curl 56 Recv failure: Connection reset by peer', 'server'],
  ['error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403', 'authentication'],
  ["fatal: unable to access 'https://git.test/x/': Empty reply from server", 'server'],
  [
    'kex_exchange_identification: Connection closed by remote host\nfatal: Could not read from remote repository.',
    'server',
  ],
  [
    'Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures\nConnection closed by 192.0.2.1 port 22',
    'authentication',
  ],
  ['kex_exchange_identification: read: Connection reset by peer', 'refused'],
  ['remote: SSL certificate problem\nfatal: odd', undefined],
  ["fatal: unable to access 'https://git.test/Connection refused': odd", undefined],
] as const
for (const [complaint, reason] of complaints)
  test(`"${complaint.split('\n')[0]}" is classified as ${reason}`, () => {
    assert.equal(gitReason(complaint), reason)
  })

test('a complaint of which nothing is known is that of a repository that cannot be read', () => {
  assert.equal(unreadableMessage('on the Node', undefined), 'The repository cannot be read on the Node.')
})

test('the command that shows a deploy key reaches the caller, and so does its fingerprint', () => {
  const key = {
    fingerprint: `SHA256:${'aB3+'.repeat(10)}aB3`,
    host: { id: 1, host: 'git.test', port: 22, keys: [] },
  }
  const text = unreadableMessage('on the Node', 'authentication', { key })
  assert.match(text, /key SHA256:aB3.*`fleet project:deploy-key:show PROJECT`/)
  assert.equal(maskText(text), text)
})
