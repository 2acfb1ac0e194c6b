import type { PusherMessage } from '#/connection.ts'

/** Longer ones are not read at all (AGT-039). */
export const INCOMING_MAX_BYTES = 64 * 1024

const NEWS: Readonly<Record<string, string>> = {
  'pusher_internal:member_added': 'pusher:member_added',
  'pusher_internal:member_removed': 'pusher:member_removed',
}

/** Reads one text message; undefined for what is no message of the protocol. It never throws. */
export function readMessage(text: string): PusherMessage | undefined {
  const message = parsed(text)
  if (!isFields(message) || typeof message['event'] !== 'string') return undefined
  const { event, channel, data, user_id: userId } = message
  return {
    event: NEWS[event] ?? event,
    data: typeof data === 'string' ? (parsed(data) ?? data) : data,
    ...(typeof channel === 'string' ? { channel } : {}),
    ...(typeof userId === 'string' ? { userId } : {}),
  }
}

/** The member list of a subscription's answer. */
export function membersOf(data: unknown): ReadonlyMap<string, unknown> {
  const presence = isFields(data) ? data['presence'] : undefined
  const hash = isFields(presence) ? presence['hash'] : undefined
  return new Map(isFields(hash) ? Object.entries(hash) : [])
}

export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
