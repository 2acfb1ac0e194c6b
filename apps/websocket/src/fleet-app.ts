import type { AppOptions } from '@fleet/pusher'

/** Agents send what they see on these channels, and nobody else sends anything anywhere. */
const AGENT_CHANNEL = /^presence-node(?:-logs)?\.\d+$/

/**
 * The application of a fleet. What its clients know as `fleet` is a private channel, and only the gateway publishes on it
 * and on live logs: a client event there would look like one of the gateway's.
 */
export const fleetApp = (app: Pick<AppOptions, 'id' | 'key' | 'secret'>): AppOptions => ({
  ...app,
  privateAliases: { fleet: 'private-fleet' },
  takesClientEvents: (channel) => AGENT_CHANNEL.test(channel),
})
