import ipaddr from 'ipaddr.js'
import { isOperatorComment } from '#/firewall/comments.ts'
import { MANAGED_ORDER } from '#/firewall/managed/names.ts'
import type { Block } from '#/firewall/ufw/rules-file.ts'
import type { UfwRule } from '#/firewall/ufw/rule.ts'

/**
 * The order of a rules file: Fleet's own rules first, so that nothing precedes the gateway's access; then operators'
 * rules from the narrowest to the widest; then rules of others, as they wrote them. It depends on the rules alone and
 * not on which came first.
 */
export function inOrder(blocks: readonly Block[]): readonly Block[] {
  const ranked = blocks.map((block) => ({ block, rank: rankOf(block.rule) }))
  const managed = ranked.filter(({ rank }) => rank < MANAGED_ORDER.length)
  const operators = ranked.flatMap(({ block, rank }) =>
    block.rule && rank === MANAGED_ORDER.length ? [{ block, rule: block.rule }] : [],
  )
  const foreign = ranked.filter(({ rank }) => rank > MANAGED_ORDER.length)
  return [
    ...managed.toSorted((one, other) => one.rank - other.rank),
    ...operators.toSorted((one, other) => byWidth(one.rule, other.rule)),
    ...foreign,
  ].map(({ block }) => block)
}

/** The rules of the fleet in a file, in order. */
export const fleetRulesOf = (blocks: readonly Block[]): readonly UfwRule[] =>
  blocks.flatMap(({ rule }) => (rule && rankOf(rule) <= MANAGED_ORDER.length ? [rule] : []))

const rankOf = (rule: UfwRule | undefined): number => {
  const comment = rule?.comment
  if (comment === undefined) return MANAGED_ORDER.length + 1
  const managed = MANAGED_ORDER.indexOf(comment)
  if (managed !== -1) return managed
  return isOperatorComment(comment) ? MANAGED_ORDER.length : MANAGED_ORDER.length + 1
}

/** Narrowest source first, then fewest ports, then denials; the comment decides between equals. */
function byWidth(one: UfwRule, other: UfwRule): number {
  return (
    addressesOf(one.source) - addressesOf(other.source) ||
    portsOf(one.port) - portsOf(other.port) ||
    Number(one.action === 'allow') - Number(other.action === 'allow') ||
    ((one.comment ?? '') < (other.comment ?? '') ? -1 : 1)
  )
}

/** How many bits of an address the source leaves open. */
function addressesOf(source: string): number {
  if (source === 'any') return 128
  const whole = source.includes(':') ? 128 : 32
  return source.includes('/') ? whole - ipaddr.parseCIDR(source)[1] : 0
}

function portsOf(port: string): number {
  const [low = 0, high = low] = port.split(':').map(Number)
  return high - low
}
