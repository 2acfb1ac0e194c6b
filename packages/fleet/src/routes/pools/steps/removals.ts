import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import type { Call } from '#/call.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { forgetSet } from '#/routes/pools/queries.ts'
import type { RoutesDeps } from '#/routes/deps.ts'
import { type RouteChanges, updateRoute } from '#/routes/queries.ts'

/** What a set of targets authorized, once its pool is published. */
export interface AuthorizedRemovals {
  readonly deps: Pick<RoutesDeps, 'store'> & {
    readonly instances: Pick<RoutesDeps['instances'], 'remove'>
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
      run: async ({ deps, call, instanceIds }) => {
        for (const id of instanceIds) await deps.instances.remove(call, id)
        return instanceIds.length === 0 ? 'skipped' : undefined
      },
    },
    {
      name: 'settle',
      run: ({ deps, routeId }) =>
        deps.store.transaction(async (tx) => {
          await forgetSet(tx, routeId)
          await updateRoute(tx, routeId, { target_set_step: null, failed_step: null, error_code: null })
        }),
    },
  ],
  { forwardOnly: true },
)

export const removalsLog = ({ deps, routeId }: Pick<AuthorizedRemovals, 'deps' | 'routeId'>): StepLog =>
  columnsLog<RouteChanges>({
    on: {
      started: (target_set_step) => ({ target_set_step }),
      failed: (failed_step, cause) => ({ failed_step, error_code: codeOf(cause) }),
    },
    write: (values) => updateRoute(deps.store.db, routeId, values),
  })

export const performRemovals = async (removals: AuthorizedRemovals): Promise<void> =>
  void (await performSteps(targetSetRemovals, removals, { call: removals.call, log: removalsLog(removals) }))
