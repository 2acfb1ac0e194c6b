import type { AppOptions } from '@fleet/pusher'

/** Agents send what they see on these channels, and nobody else sends anything anywhere. */
const AGENT_CHANNEL = /^presence-node(?:-logs)?\.\d+$/

/** Channels that need access to the gateway: the feed, and those of Nodes for a viewer. An agent needs none, and a live log ends by itself. */
const FEED_CHANNELS: readonly string[] = ['fleet', 'private-fleet']
const VIEWER = /^viewer\./

/**
 * The application of a fleet. What its clients know as `fleet` is a private channel, and only the gateway publishes on it
 * and on live logs: a client event there would look like one of the gateway's.
 */
export const fleetApp = (app: Pick<AppOptions, 'id' | 'key' | 'secret'>): AppOptions => ({
  ...app,
  privateAliases: { fleet: 'private-fleet' },
  needsAccess: (channel, userId = '') => FEED_CHANNELS.includes(channel) || VIEWER.test(userId),
  takesClientEvents: (channel) => AGENT_CHANNEL.test(channel),
})
