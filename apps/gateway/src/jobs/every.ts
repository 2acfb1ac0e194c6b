import type { Clock } from '@fleet/kernel'
import type { Logger } from 'pino'

export interface JobDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: Logger
}

/**
 * Runs a task now and then until the signal aborts, the first time after `firstSeconds`; one run never overlaps the next,
 * and a failure is only logged.
 */
export async function every(
  seconds: number,
  name: string,
  task: () => Promise<unknown>,
  { clock, signal, log }: JobDeps,
  firstSeconds = seconds,
): Promise<void> {
  for (let pause = firstSeconds; ; pause = seconds) {
    await clock.sleep(pause * 1000, signal)
    if (signal.aborted) return
    try {
      await task()
    } catch (error) {
      log.warn({ err: error, job: name }, 'a job failed')
    }
  }
}
