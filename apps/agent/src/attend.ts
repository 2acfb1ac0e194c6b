import type { Clock, Ids } from '@fleet/kernel'
import { backoff, type Connection, ConnectionFailure, openConnection } from '@fleet/pusher-client'
import { type Gateway, GatewayFailure } from './gateway.ts'
import { askRealtime, type Realtime } from './realtime.ts'
import { type Machine, runSession } from './session.ts'
import { Numbers } from './state-publisher.ts'

/** AGT-036 */
const ASK_AGAIN_MILLISECONDS = 60_000
/** A connection that lasted so long was a good one: the next try is as soon as the first. */
const GOOD_MILLISECONDS = 30_000

export interface AttendDeps {
  readonly gateway: Gateway
  readonly clock: Clock
  readonly ids: Ids
  /** PEM of the authority that the realtime service proves its name by. */
  readonly rootCertificate: string
  readonly machine: Machine
  /** One line for the journal. */
  readonly say: (line: string) => void
}

/**
 * Asks where the realtime service is, joins it and stays until the signal aborts: every minute while there is none, and
 * with growing pauses while something does not answer. It says only what differs from the time before, so a quiet fleet
 * writes nothing.
 */
export async function attend(deps: AttendDeps, signal: AbortSignal): Promise<void> {
  const say = onceEach(deps.say)
  const numbers = new Numbers()
  let failures = 0
  while (!signal.aborted) {
    const began = deps.clock.ticks()
    const outcome = await attempt({ ...deps, say, numbers }, signal)
    if (signal.aborted) return
    if (outcome !== 'joined') say(outcome.line)
    if (outcome === 'joined' && deps.clock.ticks() - began >= GOOD_MILLISECONDS) failures = 0
    failures = outcome !== 'joined' && !outcome.failed ? 0 : failures + 1
    // After a connection that was lost every agent of a fleet comes back: never all of them at once.
    const pause =
      failures === 0
        ? ASK_AGAIN_MILLISECONDS
        : backoff(outcome === 'joined' ? failures : failures - 1, deps.ids)
    await deps.clock.sleep(pause, signal)
  }
}

interface Outcome {
  readonly failed: boolean
  readonly line: string
}

type AttemptDeps = AttendDeps & { readonly numbers: Numbers }

/** Until the connection ends; `joined` once it was established. */
async function attempt(deps: AttemptDeps, signal: AbortSignal): Promise<Outcome | 'joined'> {
  let joined = false
  try {
    const realtime = await askRealtime(deps.gateway, signal)
    if (realtime.key === null || realtime.url === null)
      return { failed: false, line: 'the gateway answers; the fleet has no realtime service' }
    using connection = await connect(deps, { ...realtime, url: realtime.url, key: realtime.key }, signal)
    await runSession(deps, realtime, connection, () => {
      joined = true
      deps.say('the gateway answers; the agent is part of the fleet')
    })
    return 'joined'
  } catch (error) {
    if (joined && error instanceof ConnectionFailure) return 'joined'
    return { failed: true, line: lineOf(error) }
  }
}

const connect = (
  { clock, rootCertificate }: AttemptDeps,
  { url, key, address }: Realtime & { readonly url: string; readonly key: string },
  signal: AbortSignal,
): Promise<Connection> =>
  openConnection(
    { url, key, ca: rootCertificate, ...(address === null ? {} : { address }) },
    { clock, signal },
  )

/** What an answer holds never gets into the line. Throws what is no failure of a way. */
function lineOf(error: unknown): string {
  if (error instanceof GatewayFailure)
    return `unexpected response of the gateway: ${error.code}${reasonOf(error.cause)}`
  if (error instanceof ConnectionFailure) return `unexpected response of the realtime service: ${error.code}`
  throw error
}

/** Of Node.js or TLS, such as `ECONNREFUSED`; a certificate whose time has not come or is over may be the clock of this machine. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return ''
  const code =
    'code' in cause && typeof cause.code === 'string' && /^[A-Z_\d]+$/.test(cause.code) ? cause.code : ''
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return ` (${code}: compare the clock of this machine, date -u)`
  return code === '' ? reasonOf(cause.cause) : ` (${code})`
}

const onceEach = (say: (line: string) => void): ((line: string) => void) => {
  let last: string | undefined
  return (line) => {
    if (line !== last) say(line)
    last = line
  }
}
