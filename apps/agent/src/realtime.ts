import type { agentRealtime } from '@fleet/contract'
import type * as z from 'zod'
import { type Gateway, GatewayFailure, isObject } from './gateway.ts'

export type Realtime = z.output<typeof agentRealtime>

/**
 * Where the realtime service is. The schema itself stays unloaded: it would double the memory of a process that runs on
 * every machine. Throws GatewayFailure.
 */
export async function askRealtime(gateway: Gateway, signal: AbortSignal): Promise<Realtime> {
  const data = await gateway.get('realtime', signal)
  if (!isObject(data)) throw new GatewayFailure('malformed_answer')
  return {
    url: textOrNull(data, 'url'),
    address: textOrNull(data, 'address'),
    key: textOrNull(data, 'key'),
    channel: text(data, 'channel'),
    log_channel: text(data, 'log_channel'),
    member: text(data, 'member'),
  }
}

function text(data: Readonly<Record<string, unknown>>, name: string): string {
  const value = data[name]
  if (typeof value !== 'string') throw new GatewayFailure('malformed_answer')
  return value
}

const textOrNull = (data: Readonly<Record<string, unknown>>, name: string): string | null =>
  data[name] === null ? null : text(data, name)
