import type { UfwRule } from '#/firewall/ufw/rule.ts'
import { TUNNEL } from '#/firewall/managed/table.ts'

/** How the gateway reaches sshd on a machine. */
export interface GatewayPaths {
  readonly tunnelAddress: string | null
  /** Port of sshd on the tunnel address. */
  readonly sshPort: number
  readonly publicSshPorts: readonly number[]
}

/**
 * Whether the rules surely let the gateway in, over the tunnel or from outside. A rule counts for it only when it admits
 * every source, and against it as soon as it could concern the gateway.
 */
export function admitsGateway(rules: readonly UfwRule[], ways: GatewayPaths): boolean {
  const { tunnelAddress, sshPort, publicSshPorts } = ways
  const tunnel =
    tunnelAddress !== null && isOpen(rules, { address: tunnelAddress, port: sshPort, from: TUNNEL })
  return tunnel || publicSshPorts.some((port) => isOpen(rules, { port }))
}

interface Door {
  readonly port: number
  /** Undefined for whatever address the machine has outside. */
  readonly address?: string
  readonly from?: string
}

function isOpen(rules: readonly UfwRule[], door: Door): boolean {
  for (const rule of rules) {
    if (!mayConcern(rule, door)) continue
    const isForAll = rule.source === 'any' && rule.sourcePort === 'any' && isForDoor(rule, door)
    if (rule.action === 'deny' || rule.action === 'reject') return false
    if (isForAll) return true
  }
  return false
}

const mayConcern = (rule: UfwRule, { port, address, from }: Door): boolean =>
  rule.direction === 'in' &&
  ['any', 'tcp'].includes(rule.protocol) &&
  includesPort(rule.port, port) &&
  (address === undefined || covers(rule.destination, address)) &&
  (from === undefined || rule.interfaceIn === undefined || rule.interfaceIn === from)

const isForDoor = ({ destination, interfaceIn }: UfwRule, { address, from }: Door): boolean =>
  (destination === 'any' || destination === address) && (interfaceIn === undefined || interfaceIn === from)

// A network may hold the address; a rule for another single one cannot concern it.
const covers = (destination: string, address: string): boolean =>
  destination === 'any' || destination.includes('/') || destination === address

/** Whether a port as UFW writes it, such as `80,443` or `8000:8100`, includes the number. */
export const includesPort = (ports: string, port: number): boolean =>
  ports === 'any' ||
  ports.split(',').some((part) => {
    const [low = 0, high = low] = part.split(':').map(Number)
    return low <= port && port <= high
  })
