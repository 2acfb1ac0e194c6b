import type { Family, UfwRule } from '#/firewall/ufw/rule.ts'

const PREFIX = { ipv4: 'ufw', ipv6: 'ufw6' } as const satisfies Record<Family, string>
const CHAINS = { in: 'user-input', out: 'user-output', routed: 'user-forward' } as const satisfies Record<
  UfwRule['direction'],
  string
>

export const chainOf = ({ direction }: Pick<UfwRule, 'direction'>, family: Family): string =>
  `${PREFIX[family]}-${CHAINS[direction]}`

/**
 * The line that UFW loads for a rule of the fleet, letter by letter, so that UFW's own writing changes nothing.
 * Own rules name tcp or udp with a port, or neither, log nothing and limit nothing: one line says all of it.
 */
export function netfilterLine(rule: UfwRule, family: Family): string {
  const isRange = rule.port.includes(':')
  return [
    `-A ${chainOf(rule, family)}`,
    rule.interfaceIn !== undefined && `-i ${rule.interfaceIn}`,
    rule.interfaceOut !== undefined && `-o ${rule.interfaceOut}`,
    rule.protocol !== 'any' && `-p ${rule.protocol}`,
    isRange && `-m multiport --dports ${rule.port}`,
    rule.destination !== 'any' && `-d ${rule.destination}`,
    rule.port !== 'any' && !isRange && `--dport ${rule.port}`,
    rule.source !== 'any' && `-s ${rule.source}`,
    `-j ${rule.action === 'allow' ? 'ACCEPT' : 'DROP'}`,
  ]
    .filter((part) => part !== false)
    .join(' ')
}

const OPTIONS: Readonly<Record<string, string>> = {
  '-A': 'chain',
  '-i': 'in',
  '-o': 'out',
  '-p': 'protocol',
  '-s': 'source',
  '-d': 'destination',
  '--dport': 'port',
  '--dports': 'port',
  '-j': 'verdict',
}

/**
 * One spelling for a rule as a rules file or `iptables -S` writes it; undefined for one that asks for more than rules of
 * the fleet do.
 */
export function signatureOf(line: string): string | undefined {
  const words = line.trim().split(/\s+/)
  const found: Record<string, string> = {}
  for (let at = 0; at < words.length; at += 2) {
    const [option = '', value = ''] = words.slice(at, at + 2)
    // The kernel names the module of each protocol, which the option after it implies.
    if (option === '-m' && ['tcp', 'udp', 'multiport'].includes(value)) continue
    const name = OPTIONS[option]
    if (name === undefined || value === '') return undefined
    found[name] = value.replace(/\/(?:32|128)$/, '').replace(/^(?:0\.0\.0\.0|::)\/0$/, '')
  }
  return Object.values(OPTIONS)
    .filter((name, at, all) => all.indexOf(name) === at)
    .map((name) => found[name] ?? '')
    .join(' ')
}
