import { columnsLog, stepList, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { updateReplacements } from '#/routes/steps/replacement/queries.ts'
import { afterCutover, CLEANUP, cutover } from '#/routes/steps/replacement/after-cutover.ts'
import { beforeCutover, beforeCutoverOf } from '#/routes/steps/replacement/before-cutover.ts'
import { type Replacement, routeIdsOf } from '#/routes/steps/replacement/replacement.ts'

/** Routes get another domain and nobody is turned away: each is replaced by another one, and all of them cut over at once (RTX-033). */
export const routeReplacement = stepList<Replacement>(
  'route-replacement',
  (replacement) =>
    replacement.isCutOver
      ? afterCutover
      : [...(replacement.isPrepared ? [] : beforeCutoverOf(replacement)), cutover, ...afterCutover],
  { forwardOnly: ({ isCutOver }) => isCutOver },
)

const EARLIER = beforeCutover.map(({ name }) => name)

type Changes = Parameters<typeof updateReplacements>[2]

/** Before the cutover the replacements are `failed`, afterwards they stay as they are (RTX-025, RTX-028, RTX-032). */
export function replacementLog(replacement: Replacement): StepLog {
  const { deps, isCutOver, isResumed } = replacement
  return columnsLog<Changes>({
    begun: () => (isResumed && !isCutOver ? EARLIER : []),
    on: {
      failed: (step, cause) =>
        step === cutover.name || EARLIER.includes(step)
          ? { status: 'failed', failed_step: step, error_code: codeOf(cause) }
          : { failed_step: CLEANUP, error_code: codeOf(cause) },
    },
    write: (failure) => updateReplacements(deps.store.db, routeIdsOf(replacement), failure),
  })
}

/** Throws what stopped it: before the cutover everything is as it was, afterwards the identical request finishes it. */
export const performReplacement = async (replacement: Replacement): Promise<void> =>
  void (await performSteps(routeReplacement, replacement, {
    call: replacement.call,
    log: replacementLog(replacement),
    withCall: (given, call) => ({ ...given, call }),
  }))
