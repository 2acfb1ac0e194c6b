import { stepList } from '@fleet/steps'
import { performSteps } from '#/perform-steps.ts'
import { beforeCutoverOf } from '#/routes/steps/replacement/before-cutover.ts'
import { replacementLog } from '#/routes/steps/replacement/list.ts'
import type { Replacement } from '#/routes/steps/replacement/replacement.ts'
import { giveUpLog, replacementWithdrawal } from '#/routes/steps/replacement/withdrawal.ts'

/** The first part of a replacement, for a change that has more to prepare before anything is cut over. */
export const routePreparation = stepList<Replacement>('route-preparation', beforeCutoverOf)

export const performPreparation = async (replacement: Replacement): Promise<void> =>
  void (await performSteps(routePreparation, replacement, {
    call: replacement.call,
    log: replacementLog(replacement),
    withCall: (given, call) => ({ ...given, call }),
  }))

export const performWithdrawal = async (replacement: Replacement): Promise<void> =>
  void (await performSteps(replacementWithdrawal, replacement, {
    call: replacement.call,
    log: giveUpLog(replacement),
  }))
