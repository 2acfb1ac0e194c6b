import type { NodeRecord, NodeSession } from '#/nodes/api.ts'
import { type Listener, unitListeners } from '#/processes/commands/unit-listeners.ts'
import type { ProcessesDeps } from '#/processes/deps.ts'
import type { ProcessRecord } from '#/processes/record.ts'
import { unitNameOf } from '#/processes/unit.ts'

/**
 * TCP ports of the loopback addresses of its Node at which a Process is reached: of a container those that it publishes there,
 * of a unit those on which it listens at this moment.
 */
export async function listenersOf(
  { root = '' }: Pick<ProcessesDeps, 'root'>,
  session: NodeSession,
  process: ProcessRecord,
): Promise<readonly Listener[]> {
  const { container } = process.runtime_config
  if (container)
    return [...new Set(container.ports.flatMap(loopbackPort))].map((port) => ({ host: LOOPBACK, port }))
  return session.ask(unitListeners, { root, unit: unitNameOf(process) })
}

/** TCP ports that a container publishes where others reach the Node: at every address, or at that of its tunnel. */
export const tunnelPorts = (
  ports: readonly string[],
  { wireguard_ip }: Pick<NodeRecord, 'wireguard_ip'>,
): readonly number[] => ports.flatMap((port) => tcpPortAt(port, ['0.0.0.0', wireguard_ip ?? LOOPBACK]))

const LOOPBACK = '127.0.0.1'

const PUBLISHED = /^(?:(?<address>[0-9.]+):)?(?<host>\d+):\d+(?:\/(?<protocol>tcp|udp))?$/

/** A port that is published for every address is one of the loopback address too. */
const loopbackPort = (port: string): readonly number[] => tcpPortAt(port, ['0.0.0.0', LOOPBACK])

/** The port, when it is published at one of the addresses. */
function tcpPortAt(text: string, addresses: readonly string[]): readonly number[] {
  const { address = '0.0.0.0', host, protocol = 'tcp' } = PUBLISHED.exec(text)?.groups ?? {}
  return host === undefined || protocol === 'udp' || !addresses.includes(address) ? [] : [Number(host)]
}
