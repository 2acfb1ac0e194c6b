import type { RealtimeServer } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import { signRequest } from '@fleet/pusher'

/** Path and signed query of a request that sends this body to a path of the application. */
export function signedPath({ app }: RealtimeServer, to: string, body: string, clock: Clock): string {
  const path = `/apps/${app.id}/${to}`
  const seconds = Math.floor(clock.now().getTime() / 1000)
  const query = signRequest(app, { method: 'POST', path, query: {} }, body, seconds)
  return `${path}?${new URLSearchParams(query).toString()}`
}

/** Of a request that sends this body as a batch of events. */
export const batchPath = (server: RealtimeServer, body: string, clock: Clock): string =>
  signedPath(server, 'batch_events', body, clock)
