import type { Clock } from '@fleet/kernel'
import type { Terminal } from '#/terminal.ts'

/** Before this nothing is shown: most requests are over by then. */
const QUIET_MILLISECONDS = 400
/** Without a terminal a line at these seconds, and every minute from there on. */
const PLAIN_SECONDS = [5, 15, 30, 60] as const

/** What is shown while work is in progress: its name, which may change, and how others reserve the line. */
export interface Shown {
  readonly label: () => string
  hide: () => void
}

/**
 * Waits for the work and shows on standard error that it is still running: a spinner with the time on a terminal until
 * `stop`, plain lines elsewhere.
 */
export async function withProgress<T>(
  what: string | Shown,
  terminal: Terminal,
  clock: Clock,
  stop: AbortSignal,
  work: Promise<T>,
): Promise<T> {
  const named = typeof what === 'string' ? { label: () => what, hide: () => undefined } : what
  const ended = new AbortController()
  const shown =
    terminal.errIsTerminal && !terminal.isDumb
      ? spin(named, clock, ended.signal, stop)
      : report(named, terminal, clock, ended.signal)
  try {
    return await work
  } finally {
    ended.abort()
    await shown
  }
}

async function spin(shown: Shown, clock: Clock, ended: AbortSignal, stop: AbortSignal): Promise<void> {
  await clock.sleep(QUIET_MILLISECONDS, ended)
  if (isOver(ended)) return
  // Read only now: the first look at this clock loads a part of the platform that a short command does without.
  const start = clock.ticks() - QUIET_MILLISECONDS
  const { default: yoctoSpinner } = await import('yocto-spinner')
  // The import may have outlived the work.
  if (isOver(ended)) return
  const spinner = yoctoSpinner({ text: shown.label(), stream: process.stderr }).start()
  shown.hide = () => spinner.clear()
  stop.addEventListener('abort', () => spinner.stop(), { signal: ended })
  while (!isOver(ended)) {
    spinner.text = `${shown.label()} ${elapsed(clock.ticks() - start)}`
    await clock.sleep(1000, ended)
  }
  spinner.stop()
  shown.hide = () => undefined
}

/** A call, so that the compiler does not take the signal's first state for its last. */
const isOver = (signal: AbortSignal): boolean => signal.aborted

async function report({ label }: Shown, terminal: Terminal, clock: Clock, ended: AbortSignal): Promise<void> {
  let reported = 0
  for (let mark = 0; !ended.aborted; mark += 1) {
    const seconds = PLAIN_SECONDS[mark] ?? reported + 60
    await clock.sleep((seconds - reported) * 1000, ended)
    reported = seconds
    if (!isOver(ended)) terminal.err(`${label()}: still running after ${elapsed(seconds * 1000)}\n`)
  }
}

const elapsed = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
