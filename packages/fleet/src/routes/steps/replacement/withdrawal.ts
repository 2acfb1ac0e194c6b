import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import type { NodeRecord } from '#/nodes/api.ts'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { updateReplacements } from '#/routes/steps/replacement/queries.ts'
import { beforeCutover } from '#/routes/steps/replacement/before-cutover.ts'
import { type Replacement, replacementsOf, routeIdsOf } from '#/routes/steps/replacement/replacement.ts'
import { leaveSilentIngress } from '#/routes/edge/offline.ts'
import { leaveSilentRouters } from '#/routes/routers/serve.ts'
import { unreachableOr } from '#/routes/steps/removal.ts'

const undoing = ({ name, undo }: Step<Replacement>): readonly Step<Replacement>[] =>
  undo ? [{ name, run: (replacement) => undo(replacement) }] : []

const mark: Step<Replacement> = {
  name: 'mark',
  run: ({ deps, changes }) =>
    updateReplacements(deps.store.db, routeIdsOf({ changes }), { status: 'failed' }),
}

/** With `offline`, before anything else of it goes: Routers and an ingress that do not answer keep what they have (decision 0192). */
const leave: Step<Replacement> = {
  name: 'leave-silent',
  run: async (replacement) => {
    if (!replacement.silent) return 'skipped'
    const { deps, call } = replacement
    await updateReplacements(deps.store.db, routeIdsOf(replacement), { has_name: 0 })
    await deps.names.publish(call)
    const routes = await replacementsOf(replacement)
    await leaveSilentIngress(
      deps,
      call,
      routes.map(({ id }) => id),
    )
    for (const route of routes) await leaveSilentRouters(deps, call, route)
    return undefined
  },
}

/** A change that was not cut over is given up: newest first, until only the replaced Routes are left (RTE-052, RTX-037). */
export const replacementWithdrawal = stepList<Replacement>(
  'replacement-withdrawal',
  [mark, leave, ...beforeCutover.toReversed().flatMap(undoing)],
  { forwardOnly: true },
)

/** The step that failed first stays on the record (RTE-053). */
export const giveUpLog = (replacement: Replacement): StepLog => ({
  ...columnsLog({ on: {}, write: async () => undefined }),
  record: async (_step, event, cause) => {
    if (event !== 'failed') return
    const [known] = await replacementsOf(replacement)
    await updateReplacements(replacement.deps.store.db, routeIdsOf(replacement), {
      status: 'failed',
      failed_step: known?.failed_step ?? 'withdrawal',
      error_code: codeOf(cause),
    })
  },
})

export const withdrawReplacement = async (replacement: Replacement, node: NodeRecord): Promise<void> =>
  void (await performSteps(replacementWithdrawal, replacement, {
    call: replacement.call,
    log: giveUpLog(replacement),
    errorOf: (failure) => unreachableOr(failure, node),
  }))
