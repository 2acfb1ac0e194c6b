import type { FeedEvent } from './feed.ts'

/** An event as clients get it (EV-001 to EV-006), with a number by which they see that one is missing (decisions 19). */
export interface Envelope {
  readonly type: string
  readonly id: number | string
  readonly at: string
  readonly data: unknown
  readonly sequence: number
}

export const envelopeOf = ({ type, id, data }: FeedEvent, at: Date, sequence: number): Envelope => ({
  type,
  id,
  at: zonedTime(at),
  data,
  sequence,
})

/** ISO 8601 in the time zone of this machine, with its offset at that moment (EV-005). */
export function zonedTime(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, -1)
  const part = (value: number): string => String(Math.trunc(Math.abs(value))).padStart(2, '0')
  return `${local}${minutes < 0 ? '-' : '+'}${part(minutes / 60)}:${part(minutes % 60)}`
}
