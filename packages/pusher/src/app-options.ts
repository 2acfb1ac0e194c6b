import type { Clock } from '@fleet/kernel'
import { PUSHER_LIMITS } from '#/limits.ts'
import type { AppCredentials } from '#/signatures.ts'

/** One application of a server: its clients, channels and publishers meet nobody else's. */
export interface AppOptions extends AppCredentials {
  /** Part of the paths of the HTTP API. */
  readonly id: string
  /** Seconds of silence after which a client asks whether the server is there. */
  readonly activityTimeoutSeconds?: number
  readonly maxConnections?: number
  readonly clientEventsPerSecond?: number
  /** Seconds for which a cache channel without subscribers keeps its event. */
  readonly cacheSeconds?: number
  readonly enabled?: boolean
  /** Other names of private channels: they need a signature too, and get what the channel gets. */
  readonly privateAliases?: Readonly<Record<string, string>>
  /** Whether clients may send events to each other on a private or presence channel; they may on every one when absent. */
  readonly takesClientEvents?: (channel: string) => boolean
  /** Whether a connection with this membership ends when its address loses access; every one does when absent. */
  readonly needsAccess?: (channel: string, userId: string | undefined) => boolean
}

export interface AppSettings extends Required<AppOptions> {
  readonly clock: Clock
}

export const appSettings = (options: AppOptions, clock: Clock): AppSettings => ({
  activityTimeoutSeconds: 30,
  maxConnections: Number.POSITIVE_INFINITY,
  clientEventsPerSecond: PUSHER_LIMITS.clientEventsPerSecond,
  cacheSeconds: 1800,
  enabled: true,
  privateAliases: {},
  takesClientEvents: () => true,
  needsAccess: () => true,
  ...options,
  clock,
})
