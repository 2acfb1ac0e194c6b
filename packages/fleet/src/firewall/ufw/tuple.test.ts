import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Family, ownRule, type UfwRule } from '#/firewall/ufw/rule.ts'
import { formatTuple, parseTuple } from '#/firewall/ufw/tuple.ts'

const hex = (text: string): string => Buffer.from(text).toString('hex')
const rule = (given: Partial<UfwRule>): UfwRule => ownRule({ action: 'allow', ...given })

const tuples: ReadonlyArray<readonly [line: string, family: Family, rule: UfwRule]> = [
  ['allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in', 'ipv4', rule({ protocol: 'tcp', port: '22' })],
  [
    `deny udp 53 10.44.0.1 any 10.0.0.0/8 in_fleet comment=${hex('fleet:vpn-dns')}`,
    'ipv4',
    rule({
      action: 'deny',
      protocol: 'udp',
      port: '53',
      destination: '10.44.0.1',
      source: '10.0.0.0/8',
      interfaceIn: 'fleet',
      comment: 'fleet:vpn-dns',
    }),
  ],
  [
    'route:allow any any 0.0.0.0/0 any 0.0.0.0/0 in_fleet!out_fleet',
    'ipv4',
    rule({ direction: 'routed', interfaceIn: 'fleet', interfaceOut: 'fleet' }),
  ],
  ['route:deny any any 0.0.0.0/0 any 0.0.0.0/0 in', 'ipv4', rule({ action: 'deny', direction: 'routed' })],
  [
    'reject any any 1.2.3.4 any 0.0.0.0/0 out_eth0',
    'ipv4',
    rule({ action: 'reject', direction: 'out', destination: '1.2.3.4', interfaceOut: 'eth0' }),
  ],
  ['allow any any 0.0.0.0/0 any 0.0.0.0/0 out', 'ipv4', rule({ direction: 'out' })],
  [
    'deny_log udp 9999 ::/0 any ::/0 in',
    'ipv6',
    rule({ action: 'deny', log: 'log', protocol: 'udp', port: '9999' }),
  ],
  [
    'limit_log-all tcp 22 ::/0 any ::/0 in',
    'ipv6',
    rule({ action: 'limit', log: 'log-all', protocol: 'tcp', port: '22' }),
  ],
  [
    'allow tcp 80,443 0.0.0.0/0 any 0.0.0.0/0 WWW%20Full - in',
    'ipv4',
    rule({ protocol: 'tcp', port: '80,443', profiles: ['WWW%20Full', '-'] }),
  ],
  [
    'allow any any 0.0.0.0/0 53 2001:db8::/32 in',
    'ipv6',
    rule({ destination: '0.0.0.0/0', sourcePort: '53', source: '2001:db8::/32' }),
  ],
]

for (const [words, family, expected] of tuples) {
  test(`UFW's line for "${words}" is read and written as it stands`, () => {
    const line = `### tuple ### ${words}`
    assert.deepEqual(parseTuple(line, family), expected)
    assert.equal(formatTuple(expected, family), line)
  })
}

test('a line of UFW before 0.30 has no direction and is for incoming packets', () => {
  const old = '### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0'
  assert.deepEqual(parseTuple(old, 'ipv4'), rule({ protocol: 'tcp', port: '22' }))
  assert.deepEqual(
    parseTuple(`${old} OpenSSH -`, 'ipv4'),
    rule({ protocol: 'tcp', port: '22', profiles: ['OpenSSH', '-'] }),
  )
})

test('what UFW would skip is no rule', () => {
  const bad = [
    '# a comment',
    '### tuple ### allow tcp 22',
    '### tuple ### permit tcp 22 0.0.0.0/0 any 0.0.0.0/0 in',
    '### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 through',
    '### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 a b in x y',
  ]
  for (const line of bad) assert.equal(parseTuple(line, 'ipv4'), undefined, line)
})

test('a comment may hold any text', () => {
  for (const comment of ['fleet:node:7:firewall:a.b_c-d', 'ä = "ü" comment=', '']) {
    const line = formatTuple(rule({ comment }), 'ipv4')
    assert.equal(parseTuple(line, 'ipv4')?.comment, comment)
  }
})
