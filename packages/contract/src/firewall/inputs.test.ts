import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isErrorCode } from '../errors.ts'
import { firewallOperations, normalizeSource } from './index.ts'

const { nodeFirewallAllow: allow, nodeFirewallDeny: deny } = firewallOperations

const parse = (given: object) => allow.input.safeParse({ node: 1, name: 'web', port: '443', ...given })
const errorPaths = (given: object): unknown[] => parse(given).error?.issues.map(({ path }) => path[0]) ?? []

test('a rule is for TCP from anywhere unless it says otherwise [FW-009, FW-010]', () => {
  assert.deepEqual(parse({}).data, { node: 1, name: 'web', port: '443', source: 'any', protocol: 'tcp' })
  assert.equal(parse({ protocol: 'udp' }).data?.protocol, 'udp')
  for (const protocol of ['icmp', 'TCP', 'any', '', null, 6])
    assert.deepEqual(errorPaths({ protocol }), ['protocol'], String(protocol))
})

test('a name has a letter or digit at both ends and dots, underscores and hyphens within [FW-007]', () => {
  for (const name of ['a', '0', 'a.b', 'a_b-c', 'a..b', 'x'.repeat(63)])
    assert.equal(parse({ name }).success, true, name)
  for (const name of ['', '-a', 'a-', '.a', 'a_', 'A', 'a b', 'a:b', 'ä', 'a\n', 'x'.repeat(64), 7])
    assert.deepEqual(errorPaths({ name }), ['name'], String(name))
})

test('a port is a number from 1 to 65535, or a range from low to high [FW-008]', () => {
  for (const port of ['1', '80', '65535', '1:2', '80:90', '10000:65535'])
    assert.equal(parse({ port }).data?.port, port)
  const bad = ['', '0', '080', '65536', '70000', '90:80', '80:80', '0:5', '1:65536', '80:', ':80', '80-90']
  for (const port of [...bad, '80,90', ' 80', '80\n', '+80', '1:2:3', 'http', '10000:065535', 80])
    assert.deepEqual([...new Set(errorPaths({ port }))], ['port'], String(port))
})

test('a source that is one of several spellings is stored in one [FW-009]', () => {
  const spellings: readonly (readonly [given: string, stored: string])[] = [
    ['any', 'any'],
    ['Any', 'any'],
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7/32', '192.0.2.7'],
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['2001:db8:1::ff/32', '2001:db8::/32'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::/0', '::/0'],
  ]
  for (const [given, stored] of spellings) {
    assert.equal(parse({ source: given }).data?.source, stored, given)
    assert.equal(normalizeSource(stored), stored)
  }
})

test('what is no address and no network is no source [FW-009]', () => {
  const bad = ['', ' ', 'everyone', 'localhost', '1.2.3', '1.2.3.4.', '256.1.1.1', '01.2.3.4', '0x7f.0.0.1']
  const badNetworks = [
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/',
    '2001:db8::/129',
    '1.2.3.4/24/8',
  ]
  const badSix = ['2001:db8', ':::', 'fe80::1%eth0', '::ffff:192.0.2.1', '::ffff:0:0/96', '[::1]']
  for (const source of [...bad, ...badNetworks, ...badSix, '1.2.3.4,1.2.3.5', '1'.repeat(300), null, 1])
    assert.deepEqual([...new Set(errorPaths({ source }))], ['source'], String(source))
})

test('both operations take the same and nothing else', () => {
  assert.equal(parse({ extra: 1 }).success, false)
  assert.equal(deny.input, allow.input)
})

test('codes of the command line are none of the gateway [FW-024]', () => {
  const words = [
    'node_id_invalid',
    'rule_name_required',
    'rule_name_invalid',
    'source_invalid',
    'protocol_invalid',
  ]
  for (const word of [...words, 'port_invalid']) assert.equal(isErrorCode(`firewall.${word}`), false)
})
