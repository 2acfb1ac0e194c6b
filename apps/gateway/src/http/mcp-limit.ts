import { fail } from '@fleet/contract'
import { type Clock, LIMITS, within } from '@fleet/kernel'
import type { Admission } from './admission.ts'
import type { McpCaller } from './mcp-tools.ts'

/** The time that all calls of one request share, from now on. */
export function oneLimit({
  admission,
  clock,
}: {
  readonly admission: Pick<Admission, 'draining'>
  readonly clock: Clock
}): McpCaller['inTime'] {
  const end = clock.ticks() + LIMITS.requestSeconds * 1000
  return async (call) => {
    if (admission.draining) throw fail('http.draining')
    const left = end - clock.ticks()
    const answered = left > 0 ? await within(clock, left, call()) : undefined
    // What has begun continues to its end.
    if (!answered?.inTime) throw fail('command.deadline_exceeded')
    return answered.value
  }
}
