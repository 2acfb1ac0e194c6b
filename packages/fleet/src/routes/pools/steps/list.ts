import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import type { PoolChange } from '#/routes/pools/change.ts'
import { afterCommitOf, commit, COMMITTED } from '#/routes/pools/steps/after-commit.ts'
import { beforeCommit } from '#/routes/pools/steps/before-commit.ts'
import { type RouteChanges, updateRoute } from '#/routes/queries.ts'

/** A Route gets another set of targets, and nobody is turned away (RTE-110, RTE-111). What it removes follows in a list of its own. */
export const targetSet = stepList<PoolChange>(
  'route-target-set',
  (change) =>
    change.isCommitted ? afterCommitOf(change) : [...beforeCommit, commit, ...afterCommitOf(change)],
  { forwardOnly: ({ isCommitted }) => isCommitted },
)

const EARLIER = [...beforeCommit.map(({ name }) => name), COMMITTED]

/**
 * Before the commit the Route serves as before, and only what could not be rolled back is named; afterwards the step that is to
 * be repeated (RTE-112, RTE-113).
 */
export const targetSetLog = ({ deps, routeId, isResumed, isCommitted }: PoolChange): StepLog =>
  columnsLog<RouteChanges>({
    begun: () => (isResumed && !isCommitted ? EARLIER : []),
    on: {
      started: (step) => (EARLIER.includes(step) ? undefined : { target_set_step: step }),
      failed: (step, cause) =>
        EARLIER.includes(step) ? undefined : { failed_step: step, error_code: codeOf(cause) },
      undo_failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }),
    },
    write: (values) => updateRoute(deps.store.db, routeId, values),
  })

/** Throws what stopped it: before the commit everything is as it was, afterwards the identical request finishes it. */
export const performTargetSet = async (change: PoolChange): Promise<void> =>
  void (await performSteps(targetSet, change, {
    call: change.call,
    log: targetSetLog(change),
    withCall: (given, call) => ({ ...given, call }),
  }))
