import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inOrder } from '#/firewall/order.ts'
import {
  arbitraryForeign,
  arbitraryPacket,
  arbitraryValues,
  matches,
  verdictOn,
} from '#/firewall/packets.test.ts'
import { blockOf } from '#/firewall/ufw/rules-file.ts'
import { ownRule, type UfwRule } from '#/firewall/ufw/rule.ts'
import { operatorRule } from '#/firewall/rules.ts'

const blocks = (rules: readonly UfwRule[]) => rules.map((rule) => blockOf(rule, 'ipv4'))
const ordered = (rules: readonly UfwRule[]): readonly UfwRule[] =>
  inOrder(blocks(rules)).flatMap(({ rule }) => rule ?? [])

const operators = fc
  .array(arbitraryValues, { maxLength: 8 })
  .map((all) => all.map((values, at) => operatorRule(7, { name: `rule-${at}`, ...values })))

test('the order does not depend on which rule was made first', () => {
  const shuffled = operators.chain((rules) =>
    fc.tuple(fc.constant(rules), fc.shuffledSubarray([...rules], { minLength: rules.length })),
  )
  fc.assert(fc.property(shuffled, ([rules, other]) => assert.deepEqual(ordered(other), ordered(rules))))
})

test('of the rules that match a packet the narrowest source decides, then the fewest ports, then the denial', () => {
  const width = (rule: UfwRule): number =>
    rule.source === 'any' ? 33 : rule.source.includes('/') ? 32 - Number(rule.source.split('/')[1]) : 0
  const ports = ({ port }: UfwRule): number => {
    const [low = 0, high = low] = port.split(':').map(Number)
    return high - low
  }
  fc.assert(
    fc.property(operators, arbitraryPacket, (rules, packet) => {
      const [first, ...others] = rules.filter((rule) => matches(rule, packet))
      if (!first) return
      const best = others.reduce((one, other) => {
        const difference = width(one) - width(other) || ports(one) - ports(other)
        return difference > 0 || (difference === 0 && other.action === 'deny') ? other : one
      }, first)
      assert.equal(verdictOn(ordered(rules), packet), best.action === 'allow' ? 'in' : 'out')
    }),
  )
})

test('rules of Fleet itself stand first in their own order, rules of strangers last in theirs [FW-030]', () => {
  const own = (comment: string): UfwRule => ownRule({ action: 'allow', comment })
  const strangers = [ownRule({ action: 'deny' }), own('fleet:of-another-release'), own('mine')]
  const operator = operatorRule(7, { name: 'a', action: 'allow', source: 'any', protocol: 'tcp', port: '1' })
  const given = [
    ...strangers,
    operator,
    own('fleet:ingress-https'),
    own('fleet:wireguard-members'),
    own('fleet:metrics-grafana-isolation'),
    own('fleet:metrics-grafana-gateway'),
    own('fleet:public-ssh-recovery'),
  ]
  assert.deepEqual(
    ordered(given).map(({ comment }) => comment),
    [
      'fleet:metrics-grafana-gateway',
      'fleet:metrics-grafana-isolation',
      'fleet:wireguard-members',
      'fleet:public-ssh-recovery',
      'fleet:ingress-https',
      operator.comment,
      undefined,
      'fleet:of-another-release',
      'mine',
    ],
  )
})

test('strangers keep their order whatever stands among them', () => {
  fc.assert(
    fc.property(fc.array(arbitraryForeign), operators, (foreign, own) => {
      const mixed = foreign.flatMap((rule, at) => [rule, ...own.slice(at, at + 1)])
      assert.deepEqual(ordered(mixed).slice(-foreign.length || mixed.length), foreign)
    }),
  )
})
