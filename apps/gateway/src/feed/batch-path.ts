import type { RealtimeServer } from '@fleet/fleet'
import type { Clock } from '@fleet/kernel'
import { signRequest } from '@fleet/pusher'

/** Path and signed query of a request that sends this body as a batch of events. */
export function batchPath({ app }: RealtimeServer, body: string, clock: Clock): string {
  const path = `/apps/${app.id}/batch_events`
  const seconds = Math.floor(clock.now().getTime() / 1000)
  const query = signRequest(app, { method: 'POST', path, query: {} }, body, seconds)
  return `${path}?${new URLSearchParams(query).toString()}`
}
