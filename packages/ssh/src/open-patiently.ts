import type { Clock } from '@fleet/kernel'
import type { Client } from 'ssh2'
import { open, type Opening, type OutputOptions, type RemoteRun } from './remote-run.ts'

export interface PatientOptions extends OutputOptions {
  readonly clock: Clock
  /** Ends the patience, not a command that was accepted. */
  readonly signal: AbortSignal
}

// Connect failed, which is what sshd answers, and resource shortage (RFC 4254, section 5.1).
const REFUSED_FOR_NOW: ReadonlySet<unknown> = new Set([2, 4])

const PAUSES_MILLISECONDS = [5, 10, 20, 40, 80, 160, 320, 640, 1000]

/**
 * Like `open`, but asks again for two seconds when the peer has no session left: sshd frees those of finished commands
 * a moment after their channels close, so even a client within the limit can come too early.
 */
export function openPatiently(client: Client, line: string, options: PatientOptions): Opening {
  let opening = open(client, line, options)
  const accepted = async (): Promise<RemoteRun> => {
    for (const pause of PAUSES_MILLISECONDS) {
      try {
        return await opening.run
      } catch (error) {
        if (!isRefusedForNow(error)) throw error
        await options.clock.sleep(pause, options.signal)
        if (options.signal.aborted) throw error
      }
      opening = open(client, line, options)
    }
    return opening.run
  }
  return { run: accepted(), sent: () => opening.sent() }
}

const isRefusedForNow = (error: unknown): boolean =>
  error instanceof Error && 'reason' in error && REFUSED_FOR_NOW.has(error.reason)
