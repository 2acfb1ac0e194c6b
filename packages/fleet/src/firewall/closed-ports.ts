import type { Listener } from '@fleet/shell'
import type { Listening } from '#/firewall/commands/read-listeners.ts'
import { TUNNEL } from '#/firewall/managed/table.ts'
import type { UfwRule } from '#/firewall/ufw/rule.ts'

/** A port on which a program listens and that no rule opens. */
export type ClosedPort = Pick<Listener, 'protocol' | 'port' | 'program'>

/** What a firewall with these rules keeps from listeners that others reached before, by port. */
export function closedPorts(
  { listeners, published }: Listening,
  rules: readonly UfwRule[],
): readonly ClosedPort[] {
  const closed = listeners.filter(
    (listener) =>
      isPublic(listener.address) &&
      !isSpared(listener) &&
      !published.includes(keyOf(listener)) &&
      !rules.some((rule) => opens(rule, listener)),
  )
  const byPort = new Map(closed.map((listener) => [keyOf(listener), listener]))
  return [...byPort.values()].toSorted((a, b) => a.port - b.port || a.protocol.localeCompare(b.protocol))
}

/** The sentences for whoever turned the firewall of a Node on: what it closed, with the command that opens each, and what it did not. */
export function closedText(
  node: string,
  closed: readonly ClosedPort[],
  published: readonly string[],
): readonly string[] {
  const open = published.map((key) => key.split(' ').toReversed().join('/')).join(', ')
  return [
    ...(closed.length === 0
      ? []
      : [
          `The firewall of ${node} is on now, and closes these ports to all but the private network: ${closed.map(textOf).join(', ')}. Each command opens one again:`,
          ...closed.map((port) => commandFor(node, port)),
        ]),
    ...(open === ''
      ? []
      : [`Containers on ${node} publish ${open}: over IPv4 these ports bypass the firewall, and stay open.`]),
  ]
}

const keyOf = ({ protocol, port }: ClosedPort): string => `${protocol} ${port}`

const isPublic = (address: string): boolean => !/^(127\.|::1$|fe80:|169\.254\.)/.test(address)

/** Answers to DHCP, and link-local names, which UFW admits by itself or which no other network sends. */
const SPARED = [68, 546, 1900, 5353, 5355]
const FIRST_EPHEMERAL = 32_768

/** A UDP socket with a port of the kernel's choice asks others, and their answers come in. */
const isSpared = ({ protocol, port, program }: ClosedPort): boolean =>
  SPARED.includes(port) || (protocol === 'udp' && program !== undefined && port >= FIRST_EPHEMERAL)

/** Also one for some sources alone: somebody has decided who may come. */
const opens = (rule: UfwRule, { protocol, port }: ClosedPort): boolean =>
  (rule.action === 'allow' || rule.action === 'limit') &&
  rule.direction === 'in' &&
  rule.interfaceIn !== TUNNEL &&
  ['any', protocol].includes(rule.protocol) &&
  rule.port.split(',').some((part) => {
    if (part === 'any') return true
    const [low = 0, high = low] = part.split(':').map(Number)
    return low <= port && port <= high
  })

const textOf = ({ protocol, port, program }: ClosedPort): string =>
  `${port}/${protocol} (${program?.name ?? 'the kernel'})`

function commandFor(node: string, { protocol, port, program }: ClosedPort): string {
  const stem = (program?.name ?? '').toLowerCase().replaceAll(/^[^a-z0-9]+|[^a-z0-9._-]/g, '')
  const suffix = protocol === 'udp' ? '-udp' : ''
  const name = `${stem === '' ? 'port' : stem}-${port}${suffix}`
  return `fleet node:firewall:allow ${node} ${name} ${port}${protocol === 'udp' ? ' --protocol udp' : ''}`
}
