import type { WorkRunner } from '@fleet/fleet'
import { type Clock, within } from '@fleet/kernel'
import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import type { Logger } from 'pino'
import type { Admission } from './http/admission.ts'
import type { Listeners } from './http/listeners.ts'

/** How long a stop waits for requests in progress, and then for the aborted ones. */
const DRAIN_SECONDS = 60
const ABORT_SECONDS = 10

export interface StopDeps {
  readonly admission: Admission
  readonly work: WorkRunner
  readonly closing: AbortController
  readonly listeners: Listeners
  readonly ssh: SshPool
  readonly databases: AsyncDisposable
  readonly store: Store
  readonly log: Logger
  readonly clock: Clock
  readonly drainSeconds?: number | undefined
}

/**
 * Accepts no new work, lets work in progress finish, aborts what does not, and closes everything from the outside in.
 */
export async function drainAndClose({
  admission,
  work,
  closing,
  listeners,
  ssh,
  databases,
  store,
  log,
  clock,
  drainSeconds = DRAIN_SECONDS,
}: StopDeps): Promise<void> {
  log.info('draining')
  // No statement follows that a connection would be kept ready for.
  const unready = databases[Symbol.asyncDispose]()
  const drained = Promise.all([admission.drain(), work.drain()])
  const first = await within(clock, drainSeconds * 1000, drained)
  closing.abort()
  const last = first.inTime ? first : await within(clock, ABORT_SECONDS * 1000, drained)
  if (!last.inTime) log.warn('work was still in flight at the end of the drain')
  await listeners.close()
  await unready
  await ssh[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  log.info('stopped')
}
