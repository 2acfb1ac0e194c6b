import ipaddr from 'ipaddr.js'
import { type ManagedRule, TUNNEL } from '#/firewall/managed/table.ts'
import type { WantedRule } from '#/firewall/rules.ts'

/**
 * The rule of Fleet that admits everything which a denial names, and is tried before it; undefined when the denial keeps
 * something out. `range` is that of the tunnel: its addresses come in over the tunnel alone.
 */
export function admittedBefore(
  wanted: WantedRule,
  managed: readonly ManagedRule[],
  range: string | undefined,
): ManagedRule | undefined {
  if (wanted.action === 'allow') return undefined
  const isMember = range !== undefined && isWithin(wanted.source, range)
  return managed.find(
    ({ rule }) =>
      rule.action === 'allow' &&
      rule.direction === 'in' &&
      (rule.interfaceIn === undefined || (rule.interfaceIn === TUNNEL && isMember)) &&
      ['any', wanted.protocol].includes(rule.protocol) &&
      (rule.source === 'any' || isWithin(wanted.source, rule.source)) &&
      coversPorts(rule.port, wanted.port),
  )
}

/** Both are addresses or CIDR networks. */
function isWithin(source: string, network: string): boolean {
  if (source === 'any') return false
  const [inner, outer] = [blockOf(source), blockOf(network)]
  if (inner[0].kind() !== outer[0].kind()) return false
  return inner[1] >= outer[1] && inner[0].match(outer)
}

const blockOf = (text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] => {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.parse(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function coversPorts(outer: string, inner: string): boolean {
  if (outer === 'any') return true
  const [low = 0, high = low] = outer.split(':').map(Number)
  const [first = 0, last = first] = inner.split(':').map(Number)
  return low <= first && last <= high
}
