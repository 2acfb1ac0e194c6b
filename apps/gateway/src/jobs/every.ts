import type { Logger } from 'pino'

/** Runs a task now and then until the signal aborts; one run never overlaps the next, and a failure is only logged. */
export function every(
  seconds: number,
  name: string,
  task: () => Promise<unknown>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): void {
  const again = (): void => {
    if (signal.aborted) return
    const timer = setTimeout(() => void run(), seconds * 1000)
    timer.unref()
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  }
  const run = async (): Promise<void> => {
    try {
      await task()
    } catch (error) {
      log.warn({ err: error, job: name }, 'a job failed')
    }
    again()
  }
  again()
}
