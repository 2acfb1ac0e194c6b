import type { FeedEvent } from '@fleet/fleet'

/** The position of an event among all that one process has published. */
export interface Place {
  /** From 1, without gaps: a client that misses a number has missed an event. */
  readonly sequence: number
  /** Names the process that counts: a gateway that starts again counts anew, and so does its console beside it. */
  readonly run: string
}

/** An event as clients get it (EV-001 to EV-006), with its place, by which they see that one is missing (decision 0075). */
export interface Envelope extends Place {
  readonly type: string
  readonly id: number | string
  readonly at: string
  readonly data: unknown
}

export const envelopeOf = ({ type, id, data }: FeedEvent, at: Date, { sequence, run }: Place): Envelope => ({
  type,
  id,
  at: zonedTime(at),
  data,
  sequence,
  run,
})

/** ISO 8601 in the time zone of this machine, with its offset at that moment (EV-005). */
export function zonedTime(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, -1)
  const part = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0')
  return `${local}${minutes < 0 ? '-' : '+'}${part(minutes / 60)}:${part(minutes % 60)}`
}
