import { columnsLog, type Step, stepList, type StepLog } from '@fleet/steps'
import { codeOf } from '#/error-details.ts'
import { performSteps } from '#/perform-steps.ts'
import { writeApplicationUrl } from '#/routes/application-url.ts'
import { type RouteChanges, updateRoute } from '#/routes/queries.ts'
import { directoryOf, webRootOf } from '#/routes/served.ts'
import { servedNow } from '#/routes/steps/publication.ts'
import { beforeCommit, commit } from '#/routes/web-root/steps/before-commit.ts'
import { build, otherNow, sessionOf, type WebRootUpdate } from '#/routes/web-root/steps/update.ts'
import { withdrawal } from '#/routes/web-root/steps/withdrawal.ts'

/** Both directories: the one that the Route left is called after its next oldest one (RTE-144). */
const url: Step<WebRootUpdate> = {
  name: 'application-url',
  run: async (update) => {
    const { deps } = update
    const [served, other] = [await servedNow(update), await otherNow(update)]
    const outcome = await writeApplicationUrl(deps, sessionOf(update), served)
    if (other && directoryOf(other) !== directoryOf(served)) {
      // It is not the own directory of the Route any more.
      const route = { ...other.route, web_root: webRootOf(other) }
      await writeApplicationUrl(deps, sessionOf(update), { ...other, route })
    }
    return outcome === 'unsupported' ? 'skipped' : undefined
  },
}

/** The site as it is stored: the process that stored it may have died before the site was built. */
const site: Step<WebRootUpdate> = { name: commit.name, run: build }

/** A Route gets another web root: it is prepared beside the present one, takes its place, and the present one goes (RTE-068). */
export const webRootUpdate = stepList<WebRootUpdate>(
  'route-web-root',
  ({ isCommitted }) =>
    isCommitted ? [site, url, ...withdrawal] : [...beforeCommit, commit, url, ...withdrawal],
  { forwardOnly: ({ isCommitted }) => isCommitted },
)

/** What was prepared for an earlier request goes, and the Route serves what it has. */
export const webRootGiveUp = stepList<WebRootUpdate>('route-web-root-give-up', [site, ...withdrawal], {
  forwardOnly: true,
})

const EARLIER = [...beforeCommit, commit].map(({ name }) => name)

/** Before the commit the Route is as it was, and only what could not be undone is named; afterwards the step to repeat. */
export const webRootLog = ({ deps, routeId, isResumed, isCommitted }: WebRootUpdate): StepLog =>
  columnsLog<RouteChanges>({
    begun: () => (isResumed && !isCommitted ? EARLIER : []),
    on: {
      failed: (step, cause) =>
        isCommitted || !EARLIER.includes(step) ? { failed_step: step, error_code: codeOf(cause) } : undefined,
      undo_failed: (step, cause) => ({ failed_step: step, error_code: codeOf(cause) }),
    },
    write: (values) => updateRoute(deps.store.db, routeId, values),
  })

/** Throws what stopped it: before the commit everything is as it was, afterwards the identical request finishes it. */
export const performWebRoot = async (update: WebRootUpdate): Promise<void> =>
  void (await performSteps(webRootUpdate, update, {
    call: update.call,
    log: webRootLog(update),
    withCall: (given, call) => ({ ...given, call }),
  }))

export const giveUpWebRoot = async (update: WebRootUpdate): Promise<void> =>
  void (await performSteps(webRootGiveUp, update, {
    call: update.call,
    log: webRootLog({ ...update, isCommitted: true }),
  }))
