import assert from 'node:assert/strict'
import { test } from 'node:test'
import { netfilterLine, signatureOf } from '#/firewall/ufw/netfilter.ts'
import { ownRule, type UfwRule } from '#/firewall/ufw/rule.ts'

/** A rule, UFW's line for it, and the kernel's as `iptables -S` of 1.8.9 tells it. */
const lines: ReadonlyArray<readonly [rule: UfwRule, ufw: string, kernel: string]> = [
  [
    ownRule({ action: 'allow', protocol: 'tcp', port: '22' }),
    '-A ufw-user-input -p tcp --dport 22 -j ACCEPT',
    '-A ufw-user-input -p tcp -m tcp --dport 22 -j ACCEPT',
  ],
  [
    ownRule({ action: 'allow', interfaceIn: 'fleet', destination: '10.44.0.1' }),
    '-A ufw-user-input -i fleet -d 10.44.0.1 -j ACCEPT',
    '-A ufw-user-input -d 10.44.0.1/32 -i fleet -j ACCEPT',
  ],
  [
    ownRule({ action: 'deny', protocol: 'udp', port: '8000:8100', source: '10.0.0.0/8' }),
    '-A ufw-user-input -p udp -m multiport --dports 8000:8100 -s 10.0.0.0/8 -j DROP',
    '-A ufw-user-input -s 10.0.0.0/8 -p udp -m multiport --dports 8000:8100 -j DROP',
  ],
  [
    ownRule({ action: 'allow', direction: 'routed', interfaceIn: 'fleet', interfaceOut: 'fleet' }),
    '-A ufw-user-forward -i fleet -o fleet -j ACCEPT',
    '-A ufw-user-forward -i fleet -o fleet -j ACCEPT',
  ],
]

for (const [rule, ufw, kernel] of lines) {
  test(`the kernel's words for "${ufw}" are known again`, () => {
    assert.equal(netfilterLine(rule, 'ipv4'), ufw)
    assert.equal(signatureOf(kernel), signatureOf(ufw))
    assert.equal(netfilterLine(rule, 'ipv6'), ufw.replace('ufw-', 'ufw6-'))
  })
}

test('rules that differ in anything have other signatures', () => {
  const all = lines.flatMap(([, , kernel]) => [
    kernel,
    kernel.replace('ACCEPT', 'DROP').replace('DROP', 'REJECT'),
    kernel.replace('ufw-', 'ufw6-'),
  ])
  assert.equal(new Set(all.map(signatureOf)).size, all.length)
})

test('a rule that asks for more than ports, addresses and interfaces has none', () => {
  for (const line of [
    '-A ufw-user-input -p tcp -m tcp --dport 22 -m conntrack --ctstate NEW -m recent --set --name DEFAULT -j ACCEPT',
    '-A ufw-user-input ! -s 10.0.0.1/32 -j ACCEPT',
    '-A ufw-user-input -s 10.0.0.1/32 -g elsewhere',
    '-A ufw-user-input -j',
  ])
    assert.equal(signatureOf(line), undefined, line)
})
