import { logStreamChannel } from '@fleet/contract'
import { agentNames, type LogPublisher, type LogStreamMessage, type RealtimeServers } from '@fleet/fleet'
import { chunks, type Clock } from '@fleet/kernel'
import { PUSHER_LIMITS } from '@fleet/pusher'
import { zonedTime } from './envelope.ts'
import type { Message } from './ordered-sender.ts'
import { CURRENT_BOUNDS, LEAVING_BOUNDS, type Poster } from './post.ts'
import { batchPath } from './signed-path.ts'

export interface LogPublisherDeps {
  readonly servers: () => Promise<RealtimeServers>
  readonly poster: Poster
  readonly clock: Clock
}

/**
 * Publishes live logs to their clients, and notifies agents that their list has changed. No line goes to any other
 * channel (LOG-009).
 */
export function makeLogPublisher({ servers, poster, clock }: LogPublisherDeps): LogPublisher {
  async function post(batch: readonly Message[]): Promise<void> {
    const { current, leaving } = await servers()
    if (!current) throw new Error('no active websocket role')
    const body = JSON.stringify({ batch })
    // A client that has not moved yet gets what it may; the others are not held up by it (LIM-004).
    for (const server of leaving)
      poster.post(server, batchPath(server, body, clock), body, LEAVING_BOUNDS).catch(() => undefined)
    await poster.post(current, batchPath(current, body, clock), body, CURRENT_BOUNDS)
  }
  return {
    report: (events) => post(events.map((event) => messageOf(event, clock.now()))),
    changed: async (nodeIds) => {
      const messages = nodeIds.map((id) => ({
        name: 'log-streams.changed',
        channel: agentNames(id).logChannel,
        data: '{}',
      }))
      for (const batch of chunks(messages, PUSHER_LIMITS.eventsPerBatch)) await post(batch)
    },
  }
}

/** In the envelope of events, without the number of the feed: the stream counts by itself (LOG-007, LOG-008). */
const messageOf = ({ stream, type, data }: LogStreamMessage, at: Date): Message => ({
  name: type,
  channel: logStreamChannel(stream),
  data: JSON.stringify({ type, id: stream, at: zonedTime(at), data }),
})
