import type { Duplex } from 'node:stream'
import type { Clock } from '@fleet/kernel'
import type { Address } from '#/databases/ports.ts'

/** One way to a database. */
export type Path = (address: Address, signal: AbortSignal) => Promise<Duplex>

export interface Paths {
  /** The gateway's own network. */
  readonly direct: Path | undefined
  /** A channel of the SSH connection of the Node. */
  readonly forwarded: Path | undefined
}

// Long enough for a handshake over a tunnel, and the most that a host which drops packets delays a read.
const HEAD_START_MILLISECONDS = 300

/**
 * A stream to the address: over the gateway's own network when that answers, else through the Node (decision 0154). The
 * second path starts when the first has failed, or has been silent for a moment; what opens late is destroyed. Rejects with
 * the failure of the Node's path, or of the only one.
 */
export async function connectBy(
  clock: Clock,
  { direct, forwarded }: Paths,
  address: Address,
  signal: AbortSignal,
): Promise<Duplex> {
  if (!direct || !forwarded) return (direct ?? forwarded ?? nowhere)(address, signal)
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const first = direct(address, both)
  const second = headStart(clock, first, both).then(() => forwarded(address, both))
  try {
    const won = await Promise.any([first, second])
    for (const path of [first, second]) void path.then((late) => late !== won && late.destroy(), ignore)
    return won
  } catch {
    // Both failed: that of the Node says more, since the database is said to be behind it.
    return await second
  } finally {
    ending.abort(new Error('another path was faster'))
  }
}

/** Resolves when the first path has failed, or has not opened for a moment; never once it has opened. */
function headStart(clock: Clock, first: Promise<Duplex>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = new AbortController()
    first.then(
      () => over.abort(),
      () => resolve(),
    )
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }) // Aborted with errors only.
    void clock.sleep(HEAD_START_MILLISECONDS, over.signal).then(() => {
      if (!over.signal.aborted) resolve()
    })
  })
}

const ignore = (): void => undefined
const nowhere: Path = () => Promise.reject(new Error('no path leads to the database'))
