import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { codeOf, performSteps } from '#/perform-steps.ts'
import { forgetSet } from '#/routes/pools/queries.ts'
import type { RoutesParts } from '#/routes/parts.ts'
import { type RouteChanges, updateRoute } from '#/routes/queries.ts'

/** What a set of targets authorized, once its pool is published. */
export interface AuthorizedRemovals {
  readonly parts: Pick<RoutesParts, 'store'> & {
    readonly instances: Pick<RoutesParts['instances'], 'remove'>
  }
  readonly call: Call
  readonly routeId: number
  readonly instanceIds: readonly number[]
}

/** Outside of the locks of the change: a removal takes its own. An Instance that is gone stays gone (RTX-049). */
export const targetSetRemovals = stepList<AuthorizedRemovals>(
  'route-target-removals',
  [
    {
      name: 'remove',
      run: async ({ parts, call, instanceIds }) => {
        for (const id of instanceIds) await parts.instances.remove(call, id)
        return instanceIds.length === 0 ? 'skipped' : undefined
      },
    },
    {
      name: 'settle',
      run: ({ parts, routeId }) =>
        parts.store.transaction(async (tx) => {
          await forgetSet(tx, routeId)
          await updateRoute(tx, routeId, { target_set_step: null, failed_step: null, error_code: null })
        }),
    },
  ],
  { forwardOnly: true },
)

export const removalsLog = ({ parts, routeId }: Pick<AuthorizedRemovals, 'parts' | 'routeId'>): StepLog =>
  columnsLog<RouteChanges>({
    on: {
      started: (target_set_step) => ({ target_set_step }),
      failed: (failed_step, cause) => ({ failed_step, error_code: codeOf(cause) }),
    },
    write: (values) => updateRoute(parts.store.db, routeId, values),
  })

export const performRemovals = async (removals: AuthorizedRemovals): Promise<void> =>
  void (await performSteps(targetSetRemovals, removals, { call: removals.call, log: removalsLog(removals) }))
