import type { Clock } from '@fleet/kernel'
import { isLost } from '#/deployments/follow.ts'
import { fieldsOf, type GatewayLink } from './gateway-link.ts'
import type { LogNews, LogRequest } from './log-stream.ts'

/** How often a log that cannot be followed live is read anew, and how much of it, so that readings overlap. */
const AGAIN_MILLISECONDS = 5000
const OVERLAP_LINES = 1000
/** A gateway that restarts is away for less. */
const FAILURES_MAX = 120

const AWAY = 'The gateway does not answer. Trying again every 5 s until it does'

/**
 * Reads the log over SSH instead, and with `follow` again and again until the signal aborts; a gateway that is away is waited for.
 * Rejects as the operation does.
 */
export async function readInstead(
  link: Pick<GatewayLink, 'ask'>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  { family, record, lines, follow }: LogRequest,
  report: (news: LogNews) => void,
): Promise<void> {
  const read = async (count: number): Promise<readonly string[]> => {
    const { logs } = fieldsOf(await link.ask(`${family}:logs`, { [family]: record, lines: count }))
    return typeof logs === 'string' && logs !== '' ? logs.split('\n') : []
  }
  const show = (shown: readonly string[]): void => {
    if (shown.length > 0)
      report({ kind: 'lines', event: { type: 'logs.read', data: { lines: shown } }, lines: shown })
  }
  let known = await read(follow ? OVERLAP_LINES : lines)
  show(known.slice(-lines))
  if (!follow) return
  for (let failures = 0; ;) {
    await clock.sleep(AGAIN_MILLISECONDS, signal)
    if (signal.aborted) return
    try {
      const now = await read(OVERLAP_LINES)
      failures = 0
      show(newLines(known, now))
      known = now
    } catch (error) {
      if (signal.aborted || !isLost(error) || failures >= FAILURES_MAX) throw error
      if (failures === 0) report({ kind: 'trouble', text: AWAY })
      failures += 1
    }
  }
}

/** What a later reading has behind the longest part that it shares with the end of an earlier one; all of it where they share nothing. */
export function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let shared = Math.min(before.length, now.length); shared > 0; shared -= 1) {
    const from = before.length - shared
    if (now.slice(0, shared).every((line, index) => line === before[from + index])) return now.slice(shared)
  }
  return now
}
