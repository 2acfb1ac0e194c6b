import type { NodeSession } from '#/nodes/api.ts'
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
    return [...new Set(container.ports.flatMap(loopbackPort))].map((port) => ({ host: '127.0.0.1', port }))
  return session.ask(unitListeners, { root, unit: unitNameOf(process) })
}

const PUBLISHED = /^(?:(?<address>[0-9.]+):)?(?<host>\d+):\d+(?:\/(?<protocol>tcp|udp))?$/

/** A port that is published for every address is one of the loopback address too. */
function loopbackPort(text: string): readonly number[] {
  const { address = '0.0.0.0', host, protocol = 'tcp' } = PUBLISHED.exec(text)?.groups ?? {}
  const isLocal = address === '0.0.0.0' || address === '127.0.0.1'
  return host === undefined || protocol === 'udp' || !isLocal ? [] : [Number(host)]
}
