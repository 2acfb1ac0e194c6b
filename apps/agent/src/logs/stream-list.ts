import { normalize } from 'node:path'
import { type Gateway, GatewayFailure, isObject } from '../gateway.ts'
import type { Source } from './source.ts'

/** A stream that the agent is to read (AGT-006). */
export interface WantedStream {
  readonly id: string
  /** First lines. */
  readonly lines: number
  readonly source: Source
}

const STREAMS_MAX = 16

/** Throws GatewayFailure. */
export async function askStreams(gateway: Gateway, signal: AbortSignal): Promise<readonly WantedStream[]> {
  const data = await gateway.get('log-streams', signal)
  if (!Array.isArray(data)) throw new GatewayFailure('malformed_answer')
  return data.slice(0, STREAMS_MAX).map(wanted)
}

function wanted(entry: unknown): WantedStream {
  if (!isObject(entry)) throw new GatewayFailure('malformed_answer')
  const { id, lines, source } = entry
  if (typeof id !== 'string' || !/^[0-9a-f]{32}$/.test(id) || typeof lines !== 'number' || !isObject(source))
    throw new GatewayFailure('malformed_answer')
  return { id, lines: Math.max(0, Math.min(1000, Math.trunc(lines))), source: sourceOf(source) }
}

function sourceOf({
  type,
  path,
  checkout = '/',
  unit,
  container,
  process_id,
}: Readonly<Record<string, unknown>>): Source {
  if (
    type === 'laravel' &&
    typeof path === 'string' &&
    typeof checkout === 'string' &&
    isBelow(path, checkout)
  )
    return { type, path, checkout }
  if (type === 'journal' && typeof unit === 'string') return { type, unit }
  if (type === 'docker' && typeof container === 'string' && typeof process_id === 'number')
    return { type, container, process_id }
  throw new GatewayFailure('malformed_answer')
}

/** An older gateway names no checkout: no component of the whole path may then be a link. */
const isBelow = (path: string, checkout: string): boolean =>
  path === normalize(path) && path.startsWith(checkout === '/' ? '/' : `${checkout}/`)
