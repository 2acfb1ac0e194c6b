import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeAdd } from './add.ts'
import { nodeRemove } from './remove.ts'

const accepts = (given: Readonly<Record<string, unknown>>): boolean =>
  nodeAdd.input.safeParse({ name: 'web-1', ...given }).success

/** Values of one member that are taken, and values that are refused. */
const check = (member: string, good: readonly unknown[], bad: readonly unknown[]): void => {
  for (const value of good) assert.ok(accepts({ [member]: value }), `${member} ${JSON.stringify(value)}`)
  for (const value of bad) assert.ok(!accepts({ [member]: value }), `${member} ${JSON.stringify(value)}`)
}

test('an enrolment needs a name of 1 to 63 letters, digits, underscores or hyphens [NODE-035]', () => {
  check('name', ['a', 'Web_1-x', 'a'.repeat(63)], ['', 'a.b', 'a b', 'a'.repeat(64), null, undefined])
})

test('a public SSH host is a name or an address, and its port one of 65,535 [NODE-036]', () => {
  check(
    'public_ssh_host',
    ['192.0.2.7', 'web', 'web.example.com', '2001:db8::1', 'a1.b2'],
    ['', '256.1.1.1', '1.2.3', 'two words', 'a\nb', '-web', 'a..b', 'x'.repeat(256), null, 7],
  )
  check('public_ssh_port', [1, 22, 65_535], [0, 65_536, 22.5, '22', null])
})

test('a platform is linux or macos, an architecture a word or null [NODE-037, NODE-038]', () => {
  check('platform', ['linux', 'macos'], ['windows', '', null])
  check('architecture', ['x86_64', null], ['', 7])
})

test('a top-level domain has lowercase labels, 253 characters at most [NODE-006, NODE-039]', () => {
  check(
    'tld',
    ['test', 'dev.example', 'a-b', null, `${'a'.repeat(63)}.b`],
    ['', 'Test', 'a..b', '.a', 'a.', '-a', 'a_b', 'a'.repeat(64), 'a.'.repeat(126) + 'bc'],
  )
})

test('a bootstrap user is no empty text and no null; roles are known; a Cluster is an id or null [NODE-040, NODE-042, NODE-043]', () => {
  check('user', ['root', 'debian'], ['', null])
  check('roles', [[], ['app-dev', 'database']], [['boss'], 'app-dev', null])
  check('cluster_id', [1, null], [0, 1.5, '1'])
})

test('tunnel and LAN addresses are IPv4, a DNS server any address [NODE-011, NODE-044, NODE-045]', () => {
  check('wireguard_ip', ['10.44.0.7', null], ['10.44.0', '::1', '10.44.0.7/24'])
  check('lan_ip', ['192.168.1.2', null], ['::1', 'lan'])
  check('dns_server_override', ['9.9.9.9', '2620:fe::fe', null], ['dns.example.com', '9.9.9'])
})

test('an endpoint names host and port, and an IPv6 address stands in brackets [NODE-046]', () => {
  check(
    'wireguard_endpoint_override',
    ['192.0.2.1:51820', 'hub.example.com:1', '[2001:db8::1]:65535', null],
    [
      'fe80::1:51820',
      'hub.example.com',
      '192.0.2.1:0',
      '192.0.2.1:65536',
      'a b:1',
      'a:1\nb',
      `${'a'.repeat(251)}:5182`,
      '',
    ],
  )
})

test('a fingerprint is that of SHA-256 in base64 [NODE-047]', () => {
  const hash = 'A'.repeat(43)
  check(
    'host_key_fingerprint',
    [`SHA256:${hash}`, null],
    [hash, `MD5:${hash}`, `SHA256:${hash}A`, `SHA256:${'='.repeat(43)}`, ''],
  )
})

test('flags are booleans or the texts true and false [NODE-028, NODE-033]', () => {
  for (const [sent, read] of [
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
  ] as const)
    assert.deepEqual(nodeRemove.input.parse({ node: 1, force: sent, offline: sent }), {
      node: 1,
      force: read,
      offline: read,
    })
  for (const bad of ['yes', 1, null, ''])
    assert.ok(!nodeRemove.input.safeParse({ node: 1, force: bad }).success)
})
