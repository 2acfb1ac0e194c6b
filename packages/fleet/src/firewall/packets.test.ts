import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { ownRule, type UfwRule } from '#/firewall/ufw/rule.ts'

/** A packet that arrives. */
export interface Packet {
  readonly from: string
  readonly to: string
  readonly by: string
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
}

/** What becomes of it, as netfilter decides: the first rule that matches, else the denial of everything. */
export const verdictOn = (rules: readonly UfwRule[], packet: Packet): 'in' | 'out' =>
  ['allow', 'limit'].includes(rules.find((rule) => matches(rule, packet))?.action ?? 'deny') ? 'in' : 'out'

export const matches = (rule: UfwRule, { from, to, by, protocol, port }: Packet): boolean =>
  rule.direction === 'in' &&
  rule.sourcePort === 'any' &&
  holds(rule.source, from) &&
  holds(rule.destination, to) &&
  (rule.interfaceIn ?? by) === by &&
  ['any', protocol].includes(rule.protocol) &&
  hasPort(rule.port, port)

function holds(addresses: string, address: string): boolean {
  if (addresses === 'any') return true
  const [network, length] = addresses.includes('/')
    ? ipaddr.parseCIDR(addresses)
    : [ipaddr.parse(addresses), addresses.includes(':') ? 128 : 32]
  const given = ipaddr.parse(address)
  return given.kind() === network.kind() && given.match([network, length] as never) // Both are of one kind here.
}

const hasPort = (ports: string, port: number): boolean =>
  ports === 'any' ||
  ports.split(',').some((part) => {
    const [low = 0, high = low] = part.split(':').map(Number)
    return port >= low && port <= high
  })

const sources = [
  'any',
  '10.44.0.0/16',
  '10.44.0.1',
  '10.0.0.0/8',
  '192.0.2.0/24',
  '192.0.2.7',
  '192.0.0.0/16',
]
const ports = ['22', '443', '1:65535', '20:30', '400:500', '51820', '5432', '3000']

/** Values of an operator's rule, with few enough of each that rules meet. */
export const arbitraryValues = fc.record({
  action: fc.constantFrom('allow', 'deny'),
  source: fc.constantFrom(...sources),
  protocol: fc.constantFrom('tcp', 'udp'),
  port: fc.constantFrom(...ports),
})

/** A rule that somebody wrote by hand, also one that is for nobody's good. */
export const arbitraryForeign: fc.Arbitrary<UfwRule> = fc
  .record({
    action: fc.constantFrom('allow' as const, 'deny' as const, 'reject' as const),
    source: fc.constantFrom(...sources),
    destination: fc.constantFrom('any', '10.44.0.11'),
    protocol: fc.constantFrom('any', 'tcp', 'udp'),
    interfaceIn: fc.constantFrom(undefined, 'fleet', 'eth0'),
  })
  .chain((given) =>
    (given.protocol === 'any' ? fc.constant('any') : fc.constantFrom(...ports)).map((port) =>
      ownRule({ ...given, port }),
    ),
  )

export const arbitraryPacket: fc.Arbitrary<Packet> = fc.record({
  from: fc.constantFrom('10.44.0.1', '10.1.2.3', '192.0.2.7', '192.0.2.8', '192.0.9.9', '203.0.113.5'),
  to: fc.constantFrom('10.44.0.11', '198.51.100.11'),
  by: fc.constantFrom('fleet', 'eth0'),
  protocol: fc.constantFrom('tcp' as const, 'udp' as const),
  port: fc.constantFrom(22, 25, 443, 450, 3000, 5432, 51_820, 60_000),
})
