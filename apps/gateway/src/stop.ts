import type { SshPool } from '@fleet/ssh'
import type { Store } from '@fleet/store'
import type { Logger } from 'pino'
import type { Admission } from './http/admission.ts'
import type { Listeners } from './http/listeners.ts'

/** How long a stop waits for requests in hand, and then for what its abort ends. */
const DRAIN_SECONDS = 60
const ABORT_SECONDS = 10

export interface StopParts {
  readonly admission: Admission
  readonly closing: AbortController
  readonly listeners: Listeners
  readonly ssh: SshPool
  readonly store: Store
  readonly log: Logger
}

/** Takes no new work, lets what is in hand finish, aborts what does not, and closes everything from the outside in. */
export async function drainAndClose({
  admission,
  closing,
  listeners,
  ssh,
  store,
  log,
}: StopParts): Promise<void> {
  log.info('draining')
  const drained = admission.drain()
  const inTime = await within(drained, DRAIN_SECONDS)
  closing.abort()
  if (!inTime && !(await within(drained, ABORT_SECONDS)))
    log.warn('requests were still in hand at the end of the drain')
  await listeners.close()
  await ssh[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  log.info('stopped')
}

async function within(work: Promise<void>, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), seconds * 1000)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
