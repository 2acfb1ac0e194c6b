import type { Clock, Ids } from '@fleet/kernel'
import { backoff } from '@fleet/pusher-client'
import { type Gateway, GatewayFailure } from './gateway.ts'
import { askRealtime } from './realtime.ts'

/** AGT-036 */
const ASK_AGAIN_MILLISECONDS = 60_000

export interface AttendParts {
  readonly gateway: Gateway
  readonly clock: Clock
  readonly ids: Ids
  /** One line for the journal. */
  readonly say: (line: string) => void
}

/**
 * Asks where the realtime service is until the signal aborts: every minute, and sooner while the gateway does not answer.
 * It says only what differs from the time before, so a quiet fleet writes nothing.
 */
export async function attend(parts: AttendParts, signal: AbortSignal): Promise<void> {
  const say = onceEach(parts.say)
  let failures = 0
  while (!signal.aborted) {
    const outcome = await askOnce(parts.gateway, signal)
    if (signal.aborted) return
    say(outcome.line)
    failures = outcome.failed ? failures + 1 : 0
    const pause = outcome.failed ? backoff(failures - 1, parts.ids) : ASK_AGAIN_MILLISECONDS
    await parts.clock.sleep(pause, signal)
  }
}

interface Outcome {
  readonly failed: boolean
  readonly line: string
}

async function askOnce(gateway: Gateway, signal: AbortSignal): Promise<Outcome> {
  try {
    const { key } = await askRealtime(gateway, signal)
    const service = key === null ? 'the fleet has no realtime service' : 'the fleet has a realtime service'
    return { failed: false, line: `the gateway answers; ${service}` }
  } catch (error) {
    if (!(error instanceof GatewayFailure)) throw error
    return { failed: true, line: `the gateway does not answer as it should: ${error.code}` }
  }
}

const onceEach = (say: (line: string) => void): ((line: string) => void) => {
  let last: string | undefined
  return (line) => {
    if (line !== last) say(line)
    last = line
  }
}
