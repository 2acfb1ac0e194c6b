import type { StepFailure } from '@fleet/steps'
import { codeOf, withDetails } from '#/error-details.ts'
import type { InstanceDeps } from '#/instances/deps.ts'
import type { InstanceRow } from '#/instances/queries.ts'
import type { CheckoutSession } from '#/instances/checkout-session.ts'
import { performSteps } from '#/perform-steps.ts'
import { type Creation, creationLog, instanceCreation } from './creation.ts'

/**
 * Runs the creation from the state that the row shows and records every state it reaches. A failure undoes what the
 * attempt made and keeps its own code (INS-052); `isFresh` says that this request made the row.
 */
export async function runCreation(
  { queries, projects, routes, store }: InstanceDeps,
  checkout: CheckoutSession,
  row: InstanceRow,
  { isFresh, source }: Pick<Creation, 'isFresh' | 'source'>,
): Promise<InstanceRow> {
  const own = (await routes.own([row.id])).get(row.id)
  const creation: Creation = {
    checkout,
    queries,
    projects,
    store,
    routes,
    domain: own?.domain,
    source,
    row,
    isFresh,
    found: {},
    isUntouched: false,
  }
  await performSteps(instanceCreation, creation, {
    call: checkout.session.call,
    log: creationLog(creation),
    kindOf: isKept,
    errorOf: (failure) => creationError(creation, failure),
  })
  return creation.row
}

/** A script of an earlier request still works in the directory; the identical request resumes once it has ended. */
export const isKept = (cause: unknown): 'kept' | undefined =>
  codeOf(cause, 'instance.source_failed') === 'instance.lifecycle_busy' ? 'kept' : undefined

export function creationError(
  { checkout, row }: Pick<Creation, 'checkout' | 'row'>,
  failure: StepFailure,
): unknown {
  const { cause, cleanup, undoFailure, recordFailure } = failure
  if (cleanup !== 'incomplete' || recordFailure !== undefined) return cause
  const code = codeOf(undoFailure?.cause, 'instance.source_failed')
  checkout.session.call.log('instance clean-up incomplete', { instance: row.id, cause: code })
  return withDetails(cause, { cleanup: 'incomplete' }, 'instance.source_failed')
}
