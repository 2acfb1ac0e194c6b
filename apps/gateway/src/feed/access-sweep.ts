import type { RealtimeServer, RealtimeServers } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import type { Logger } from 'pino'
import { CURRENT_BOUNDS, type Poster } from './post.ts'
import { signedPath } from './signed-path.ts'

export interface AccessSweepDeps {
  readonly realtime: {
    servers(): Promise<RealtimeServers>
    barredAddresses(): Promise<readonly string[]>
  }
  readonly poster: Poster
  readonly clock: Clock
  readonly log: Logger
}

/**
 * A signature for the feed lasts as long as its connection, and a grant may not. Answers a run that makes every WebSocket server end the
 * feed of Nodes without access to the gateway. A server that does not answer is in the log once, and asked again with the next run.
 */
export function makeAccessSweep({ realtime, poster, clock, log }: AccessSweepDeps): () => Promise<void> {
  const failing = new Set<string>()
  const endOn = async (server: RealtimeServer, body: string): Promise<void> => {
    const place = `${server.address}:${server.port}`
    try {
      const path = signedPath(server, 'addresses/terminate_connections', body, clock)
      await poster.post(server, path, body, CURRENT_BOUNDS)
      failing.delete(place)
    } catch (error) {
      if (!failing.has(place))
        log.warn(
          { err: error, node: server.nodeName },
          'the WebSocket server did not end the feed of Nodes without access',
        )
      failing.add(place)
    }
  }
  return async () => {
    const addresses = await realtime.barredAddresses()
    if (addresses.length === 0) return
    const { current, leaving } = await realtime.servers()
    const body = JSON.stringify({ addresses })
    await Promise.all([...(current ? [current] : []), ...leaving].map((server) => endOn(server, body)))
  }
}
