import * as z from 'zod'

/** Seconds for which one renewal keeps a stream, and how often a client should renew (LOGS-002). */
export const LOG_LEASE_SECONDS = 60
export const LOG_RENEW_SECONDS = 20

/** Open streams of one serving Node (LOGS-013). */
export const LOG_STREAMS_PER_NODE_MAX = 16

/** LOG-001, LOG-002: the channel of one stream, whose signature comes with the answer that opens it. */
export const logStreamChannel = (stream: string): string => `private-log-stream.${stream}`

export const logStreamId = z
  .string()
  .regex(/^[0-9a-f]{32}$/)
  .describe('Random id, returned only by the request that opens the stream.')

export const logStreamOpened = z.strictObject({
  id: logStreamId,
  /** `private-log-stream.{id}` */
  channel: z.string(),
  /** `key:signature`, for the socket of the request alone (LOG-003). */
  auth: z.string(),
  lines: z.int(),
  lease_seconds: z.literal(LOG_LEASE_SECONDS),
  renew_seconds: z.literal(LOG_RENEW_SECONDS),
})

export const logStreamRenewed = z.strictObject({
  id: logStreamId,
  lease_seconds: z.literal(LOG_LEASE_SECONDS),
})
export const logStreamClosed = z.strictObject({ id: logStreamId, closed: z.literal(true) })

/** Why no live log can be had (LOGS-025), in the order in which they are looked at. */
export const logUnavailableReasons = [
  'ssh_only',
  'realtime_not_configured',
  'subscriber_down',
  'agent_unavailable',
  'agent_not_joined',
] as const
export type LogUnavailableReason = (typeof logUnavailableReasons)[number]

/** Why a stream ended (LOGS-012). */
export const logEndReasons = [
  'closed',
  'expired',
  'revoked',
  'agent_left',
  'source_unavailable',
  'relay_behind',
] as const
export type LogEndReason = (typeof logEndReasons)[number]

/** Events on the channel of a stream, each in the envelope of events with the id of the stream (LOGS-011, LOGS-012). */
export const logStreamEvents = {
  'log.lines': z.strictObject({
    /** From 1, one more each. The same one may come twice after trouble with the server. */
    sequence: z.int().min(1),
    /** Oldest first, without line endings. */
    lines: z.array(z.string()),
    /** Lines that were left out here, because there were too many. */
    dropped: z.int().min(0),
    /** Bytes of the source that nobody read. */
    skipped: z.int().min(0),
  }),
  'log.ended': z.strictObject({ reason: z.enum(logEndReasons) }),
} as const
export type LogStreamEvent = keyof typeof logStreamEvents
export type LogStreamEventData<E extends LogStreamEvent> = z.output<(typeof logStreamEvents)[E]>
