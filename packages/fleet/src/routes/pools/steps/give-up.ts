import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import type { PoolChange } from '#/routes/pools/change.ts'
import { forgetSet } from '#/routes/pools/queries.ts'
import { beforeCommit } from '#/routes/pools/steps/before-commit.ts'
import { type RouteChanges, updateRoute } from '#/routes/queries.ts'

const undoing = ({ name, undo }: Step<PoolChange>): readonly Step<PoolChange>[] =>
  undo ? [{ name, run: (change) => undo(change) }] : []

/** A set that was not committed is undone, newest first, and its record last. */
export const targetSetGiveUp = stepList<PoolChange>(
  'route-target-give-up',
  [
    ...beforeCommit.toReversed().flatMap(undoing),
    {
      name: 'forget',
      run: ({ deps, routeId }) =>
        deps.store.transaction(async (tx) => {
          await forgetSet(tx, routeId)
          await updateRoute(tx, routeId, { failed_step: null, error_code: null })
        }),
    },
  ],
  { forwardOnly: true },
)

export const giveUpLog = ({ deps, routeId }: PoolChange): StepLog =>
  columnsLog<RouteChanges>({
    on: { failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }) },
    write: (values) => updateRoute(deps.store.db, routeId, values),
  })

export const giveUp = async (change: PoolChange): Promise<void> =>
  void (await performSteps(targetSetGiveUp, change, { call: change.call, log: giveUpLog(change) }))
