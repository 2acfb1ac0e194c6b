import type { Call, RenewLeaves } from '@fleet/fleet'
import { type Clock, Deadline, type Ids, LIMITS } from '@fleet/kernel'
import type { Logger } from 'pino'

export interface RenewLeavesParts {
  readonly renewLeaves: RenewLeaves
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly signal: AbortSignal
}

/** Renews the certificates on Nodes that are due and tells what became of each; what failed is tried again the next time. */
export async function renewLeaves({
  renewLeaves: renew,
  clock,
  ids,
  log,
  signal,
}: RenewLeavesParts): Promise<void> {
  const newCall = (): Call => ({
    requestId: ids.uuid(),
    operation: 'job:renew-certificates',
    caller: undefined,
    deadline: new Deadline(clock, LIMITS.deadlineSeconds, LIMITS.cleanupReserveSeconds),
    signal,
    note: { target: nothing, subject: nothing, property: nothing, exitCode: nothing },
    emit: () => Promise.resolve(),
    event: nothing,
    progress: nothing,
    log: (message, facts) => log.info({ ...facts }, message),
  })
  for (const { node, scope, outcome } of await renew(newCall)) {
    if (outcome === 'renewed') log.info({ node, scope }, 'a certificate on a Node was renewed')
    else log.warn({ node, scope, code: outcome }, 'a certificate on a Node could not be looked after')
  }
}

const nothing = (): void => undefined
