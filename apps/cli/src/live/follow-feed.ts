import { ApiError } from '@fleet/sdk/core'
import type { Clock } from '@fleet/kernel'
import { backoff, type Connection } from '@fleet/pusher-client'
import { isObject, type Json } from '#/print/value.ts'
import { Continuity, type Missed } from './continuity.ts'
import { publishedOn } from './envelope.ts'
import { FeedProof } from './feed-proof.ts'
import { asClientError, type GatewayLink, reasonOf } from './gateway-link.ts'

export const FEED_CHANNEL = 'private-fleet'

/** What following the feed brings, in order. */
export type FeedNews =
  | { readonly kind: 'connected'; readonly again: boolean }
  /** The whole envelope. */
  | { readonly kind: 'event'; readonly event: Json }
  | { readonly kind: 'missed'; readonly missed: Missed }
  /** A request of this client was not published on the feed: other events may be missing too. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'lost'; readonly reason: string; readonly retrySeconds: number }

export interface FollowDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly newRequestId: () => string
  readonly chance: (count: number) => Uint8Array
  readonly report: (news: FeedNews) => void
}

const LOOK_MILLISECONDS = 1000

/**
 * Follows the feed until the signal aborts, over as many connections as it takes. Rejects when the first one cannot be had,
 * and when the gateway refuses this client.
 */
export async function followFeed(link: GatewayLink, deps: FollowDeps): Promise<void> {
  const { clock, signal, report } = deps
  const continuity = new Continuity()
  const ended = new AbortController()
  const watched = reportOverdue(continuity, deps, AbortSignal.any([signal, ended.signal]))
  let connected = 0
  let failures = 0
  try {
    while (!signal.aborted) {
      let reason: string
      try {
        using connection = await joined(link, continuity, deps)
        report({ kind: 'connected', again: connected > 0 })
        connected += 1
        failures = 0
        reason = closingOf(await untilClosed(link, connection, deps))
      } catch (error) {
        if (signal.aborted) return
        if (connected === 0 || isFinal(error)) throw asClientError(error)
        failures += 1
        reason = reasonOf(error)
      }
      if (signal.aborted) return
      const pause = backoff(failures, { bytes: deps.chance })
      report({ kind: 'lost', reason, retrySeconds: Math.round(pause / 1000) })
      await clock.sleep(pause, signal)
    }
  } finally {
    ended.abort()
    await watched
  }
}

async function reportOverdue(
  continuity: Continuity,
  { clock, report }: FollowDeps,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(LOOK_MILLISECONDS, signal)
    for (const missed of continuity.overdue(clock.ticks())) report({ kind: 'missed', missed })
  }
}

interface Joined extends Disposable {
  readonly proof: FeedProof
  readonly closed: Connection['closed']
}

async function joined(
  link: GatewayLink,
  continuity: Continuity,
  { clock, report }: FollowDeps,
): Promise<Joined> {
  const connection = await link.open()
  const proof = new FeedProof()
  connection.onMessage((message) => {
    const data = publishedOn(FEED_CHANNEL, message)
    if (!data) return
    const { run, sequence } = data
    if (typeof sequence === 'number')
      continuity.note(typeof run === 'string' ? run : '', sequence, clock.ticks())
    report({ kind: 'event', event: data })
    const id = requestOf(data)
    if (id !== undefined) proof.hear(id)
  })
  try {
    await link.join(connection, FEED_CHANNEL)
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
  return {
    proof,
    closed: connection.closed,
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

const requestOf = ({ data }: Json): string | undefined => {
  const id = isObject(data) ? data['request_id'] : undefined
  return typeof id === 'string' ? id : undefined
}

/** The connection is looked at during its proof too, which lasts as long as a gateway that hangs. */
async function untilClosed(
  link: GatewayLink,
  { proof, closed }: Joined,
  deps: FollowDeps,
): Promise<Awaited<Joined['closed']>> {
  const ended = new AbortController()
  try {
    const proven = proof.isSilent(link, { ...deps, signal: AbortSignal.any([deps.signal, ended.signal]) })
    const told = proven.then((isSilent) => isSilent && deps.report({ kind: 'silent' }))
    return await Promise.race([closed, told.then(() => closed)])
  } finally {
    ended.abort()
  }
}

/** A refusal of this client, which no other try can change. */
const isFinal = (error: unknown): boolean => error instanceof ApiError && error.status === 403

const closingOf = ({
  code,
  reason,
}: {
  readonly code: number | undefined
  readonly reason: string
}): string =>
  code === undefined
    ? 'the connection broke'
    : reason.replace(/\.$/, '') || `the server closed the connection with ${code}`
