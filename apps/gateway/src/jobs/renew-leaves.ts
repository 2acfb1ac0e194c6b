import type { Executor, RenewLeaves } from '@fleet/fleet'
import type { Logger } from 'pino'

export interface RenewLeavesParts {
  readonly renewLeaves: RenewLeaves
  readonly executor: Executor
  readonly log: Logger
}

/** Renews the certificates on Nodes that are due and logs what became of each; what failed is tried again the next time. */
export async function renewLeaves({ renewLeaves: renew, executor, log }: RenewLeavesParts): Promise<void> {
  const renewals = await renew((run) =>
    executor.execute({
      operation: 'job:renew-certificates',
      recording: { unrecorded: 'tick' },
      admit: () => undefined,
      run,
    }),
  )
  for (const { node, scope, outcome } of renewals) {
    if (outcome === 'renewed') log.info({ node, scope }, 'a certificate on a Node was renewed')
    else log.warn({ node, scope, code: outcome }, 'a certificate on a Node could not be looked after')
  }
}
