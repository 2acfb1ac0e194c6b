/** Sizes of the protocol, in bytes of UTF-8 or in characters where it says so. */
export const PUSHER_LIMITS = {
  /** Bytes of one message, in either direction (LIM-012). */
  messageBytes: 10_000,
  /** Characters of a channel name. */
  channelCharacters: 200,
  /** Characters of an event name. */
  eventCharacters: 200,
  channelsPerEvent: 100,
  eventsPerBatch: 10,
  /** Channels of one connection. */
  channelsPerConnection: 4096,
  /** Characters of a user id. */
  userIdCharacters: 128,
  watchlistUsers: 100,
  /** Client events of one connection in any second. */
  clientEventsPerSecond: 100,
  /** Seconds by which the clock of a signed request may differ. */
  signatureSeconds: 600,
} as const
