import type { Clock } from '@fleet/kernel'

/** npm passes on the Ctrl-C that the terminal has sent already, so one press arrives twice. */
const ONE_PRESS_MILLISECONDS = 500

/** A signal that aborts when somebody asks this process to stop. A later second request ends it at once, with status 130. */
export function onStop(clock: Clock): AbortSignal {
  const stopping = new AbortController()
  let askedAt = 0
  const ask = (): void => {
    if (!stopping.signal.aborted) {
      askedAt = clock.ticks()
      stopping.abort()
    } else if (clock.ticks() - askedAt > ONE_PRESS_MILLISECONDS) process.exit(130)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, ask)
  return stopping.signal
}
